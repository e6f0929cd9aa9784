"""The rules of the guard, a module for each topic. Each module lists its rules at the top and checks one kind of node."""
