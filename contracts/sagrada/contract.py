"""Sagrada on the chain: every command is a line of text, and every step but the last word of chance can be taken back.

Who may, what the rules say, write, tell: the rules find the command and refuse in their own words, the contract keeps a
table per game. A step leaves on the chain only what it changed, and the way back as a patch: steps lie in one row, the
undos up to where the game stands and the redos behind it, so that undoing turns the patch at hand around where it lies.

Words written by a step, patch and stacks included: {words}
"""
