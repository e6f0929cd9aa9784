from decimal import Decimal
from fractions import Fraction
from statistics import mean
