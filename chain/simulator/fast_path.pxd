cimport cython
from chain.ledger.ledger cimport Ledger
from chain.machine.dispatch cimport run_call
from chain.machine.frame cimport Frame, TransactionContext
from chain.machine.gas cimport calldata_tokens
from chain.machine.machine cimport Machine
from chain.machine.state cimport State
from chain.simulator.driver cimport ChainDriver


@cython.locals(
    ledger=Ledger, machine=Machine, state=State, context=TransactionContext, frame=Frame,
    gas='long long', tokens='long long', message_gas='long long', floor='long long', used='long long', ticks='long long', is_special=bint, is_refused=bint,
)
cpdef call_and_mine(ChainDriver driver, to, bytes data, sender)
