"""The `debug_…` methods: traces in geth's formats."""
