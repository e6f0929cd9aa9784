"""Hashes and encodings of Ethereum: Keccak-256, addresses, RLP, the Merkle Patricia trie, MessagePack.

Pure functions over bytes. Imports nothing of the chain. Begin with `hashing`.
"""
