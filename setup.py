"""The compiled core: `BOARDCHAIN_COMPILE=1 pip install .` compiles the modules below, as they are, with Cython.

All else is in pyproject.toml. Without that variable, and on Pythons for which there is no compiled wheel, Boardchain is pure
Python, with the same results.

A `.pxd` file beside a module is read only when it is compiled. It makes C structures of classes that every call uses and C
functions of their methods, so it names all their attributes; a test compares it with what the module sets.
"""

import os

from setuptools import Extension, setup

# What runs for each call, word, log or hash. Modules stay as they are if they have functions for contracts, which must be those
# of Python; and, since compiled functions have no frames, if they declare contracts or events, look at their callers, or
# determine the price of work, for which Python's recursion limit counts. `simulator/handle` stays, too: in the traceback of a
# failed call, its frame keeps the chain, whose activity a test run then shows.
CORE = """
    abi/decode abi/encode
    crypto/rlp crypto/trie
    foundation/atomic_steps foundation/turn
    ledger/blocks ledger/headers ledger/ledger ledger/long_list ledger/receipts ledger/signing ledger/state_trie
    machine/dispatch machine/frame machine/gas machine/machine machine/state
    metering/fuel metering/value_size
    runtime/model_edit runtime/system runtime/world_words
    schema/octets
    simulator/block_time simulator/chain simulator/driver simulator/fast_path simulator/local_driver simulator/reader
    spec/contracts spec/models
    storage/collection_layout storage/dynamic storage/map storage/packing storage/slots storage/value_cache storage/vector
"""
# No debug information, which would be most of a wheel.
FLAGS = [] if os.name == "nt" else ["-g0"]


def core() -> list[Extension]:
    from Cython.Build import cythonize

    modules = [
        Extension(f"chain.{name.replace('/', '.')}", [f"chain/{name}.py"], extra_compile_args=FLAGS)
        for name in CORE.split()
    ]
    directives = {"annotation_typing": False}  # an annotation is a promise to mypy, not to C
    return cythonize(modules, build_dir="build/core", compiler_directives=directives)


setup(ext_modules=core() if os.environ.get("BOARDCHAIN_COMPILE") else [])
