"""Deployments: a chain on which a script can be run again and again, and does each step once.

A script has a function `plan(deployment)`, which deploys and calls as it would on a chain (`deployment`). Each transaction is a
step with a name (`steps`). A journal records what was done (`journal`, in the folder of the chain, `chain_folder`), and the
chain shows whether that still holds. First the script runs on a fork, to show what there is to do, then on the chain (`runs`).
So a script can be edited, repeated, or resumed after it was killed.
"""

from __future__ import annotations

from chain.deployment.deployment import Deployment

__all__ = ["Deployment"]
