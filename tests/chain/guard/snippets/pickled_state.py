import pickle
from json import load
