"""The command `boardchain`. Each command is a module in `chain.cli.commands`, imported when it is used."""
