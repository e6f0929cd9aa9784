from decimal import Decimal
from statistics import mean
