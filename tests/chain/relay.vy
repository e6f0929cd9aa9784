# pragma version ^0.4.0
# A contract that passes messages on, in every way bytecode can, and keeps a word of its own.

event Relayed:
    to: indexed(address)
    word: uint256

word: public(uint256)
note: transient(uint256)


@deploy
@payable
def __init__(word: uint256):
    assert word != 13, "Thirteen"
    self.word = word


@external
@payable
def __default__():
    pass


@external
@payable
def relay(to: address, data: Bytes[2048]) -> Bytes[1024]:
    answer: Bytes[1024] = raw_call(to, data, max_outsize=1024, value=msg.value)
    log Relayed(to=to, word=self.word)
    return answer


@external
def attempt(to: address, data: Bytes[2048]) -> (bool, Bytes[1024]):
    self.word += 1
    success: bool = False
    answer: Bytes[1024] = b""
    success, answer = raw_call(to, data, max_outsize=1024, revert_on_failure=False)
    self.word += 1
    return success, answer


@external
def look(to: address, data: Bytes[2048]) -> Bytes[1024]:
    return raw_call(to, data, max_outsize=1024, is_static_call=True)


@external
def lend(to: address, data: Bytes[2048]) -> Bytes[1024]:
    return raw_call(to, data, max_outsize=1024, is_delegate_call=True)


@external
@payable
def make(initcode: Bytes[2048]) -> address:
    return raw_create(initcode, value=msg.value)


@external
def try_make(initcode: Bytes[2048], salt: bytes32) -> address:
    return raw_create(initcode, salt=salt, revert_on_failure=False)


@external
def put(word: uint256):
    self.word = word
    log Relayed(to=msg.sender, word=word)


@external
def hold(note: uint256):
    self.note = note


@external
def held() -> uint256:
    return self.note


@external
def refuse():
    raise "Not so"


@external
def spin():
    for i: uint256 in range(1_000_000):
        self.word += 1
