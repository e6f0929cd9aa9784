import importlib

RULES = importlib.import_module("rules")
MORE = __import__("rules")
