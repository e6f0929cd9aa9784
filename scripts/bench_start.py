"""The time from the start of a process to the first call of a contract, if an earlier process has run the same sources."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_runner import limit

ROUNDS = 5
HERE = Path(__file__).parent
IMPORT = "from chain import Chain; chain = Chain()"
# By name: the script, and the most milliseconds of processor time that it may take.
STARTS: dict[str, tuple[str, int]] = {
    "Python alone": ("pass", 0),
    "import chain, make one": (IMPORT, 60),
    "counter": (f"from bench_counter import Counter\n{IMPORT}\nchain.deploy(Counter).increment(1)", 75),
    "Deblockle": (
        f"from contracts.deblockle import Deblockle\n{IMPORT}\n"
        "chain.deploy(Deblockle).create_game('a.testnet', 'b.testnet', 3)", 100,
    ),
    "Mage Duel": (
        f"from contracts.mage_duel import deploy\nfrom contracts.mage_duel.playouts import Duel\n{IMPORT}\n"
        "Duel(deploy(chain), *chain.accounts[:2])", 180,
    ),
    "Sagrada": (
        f"from contracts.sagrada import Sagrada\n{IMPORT}\n"
        "chain.deploy(Sagrada).create_game(['a.testnet', 'b.testnet'])", 200,
    ),
}  # fmt: skip
ENGINES = "import sys; print(*({'eth', 'web3', 'eth_tester'} & set(sys.modules)) or ['none'])"


def show() -> None:
    with TemporaryDirectory() as folder:
        env = {
            **os.environ, "PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE}", "PYTHONPYCACHEPREFIX": folder,
            "XDG_CACHE_HOME": folder, "BOARDCHAIN_CACHE": "",
        }  # fmt: skip
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        best = dict.fromkeys(STARTS, float("inf"))
        for turn in range(ROUNDS + 1):
            for name, (script, _) in STARTS.items():
                took = processor_time(script, env) * 1e3
                if turn:  # the first one fills the caches
                    best[name] = min(best[name], took)
        for name, (_, bar) in STARTS.items():
            print(
                f"  {name:24}{best[name]:5.0f} ms{limit(best[name] <= bar, f'{bar} ms') if bar else ''}"
            )
        script = f"{IMPORT}; print('  engines loaded: ', end=''); {ENGINES}"
        subprocess.run([sys.executable, "-c", script], env=env, check=True)


def processor_time(script: str, env: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script], env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    show()
