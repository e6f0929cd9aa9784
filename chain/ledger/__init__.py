"""The ledger: blocks, receipts, and the questions one can ask of them."""
