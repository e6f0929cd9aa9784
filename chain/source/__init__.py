"""Sources: where things are written, and which modules are an author's own. It imports nothing else of the chain."""
