from chain import Chain, Contract, reverts
from chain.simulator.chain import Chain as Other
import chain
