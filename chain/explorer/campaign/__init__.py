"""The results of a campaign as pages: who wins, all games, and each of them played again on a chain with its own explorer.

Results are only read, also while they are added to. Begin with `site`, then `pages`.
"""
