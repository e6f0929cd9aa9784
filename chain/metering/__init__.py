"""The image of a contract: what runs on chain in the place of the classes and functions that Python imported.

It is compiled from the same source, with ticks at every turn of a loop and every entry of a function (`ticks`, `meter`), from
what the contract reaches and nothing else (`reach`), in modules of its own (`worlds`). File names and line numbers are those
of the source, so tracebacks, debuggers and coverage see what they know. A digest of the same syntax is the contract's code
(`digest`). Its records, enums and errors are twins of those that the author holds; what goes in or out is turned into the
other (`border`).
"""
