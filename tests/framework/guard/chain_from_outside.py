from chain import Chain, Contract, reverts
from chain.simulator import Chain as Other
import chain
