"""The rules of the guard, one module per topic. Each module lists its rules at the top and the node types that it checks."""
