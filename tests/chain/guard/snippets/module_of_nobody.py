import difflib
import numpy as np
from struct import pack
from types import FunctionType
