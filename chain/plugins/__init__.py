"""The plugins for pytest and for mypy.

Each imports the engine only when it is needed. Begin with `pytest_plugin`.
"""
