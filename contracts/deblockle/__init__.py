"""Deblockle: roll your cubes, let them hop, and be the first to bring all of them home."""
