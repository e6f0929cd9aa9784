from math import *
from chain.types import *
