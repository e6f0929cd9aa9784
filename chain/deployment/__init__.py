"""Scripted deployments: the contracts of a chain are declared as a plan, which is applied step by step.

A script has a function `plan(deployment)`, which deploys and calls as it would on a chain. Each call is recorded as a step,
which is one transaction (`plan`). On a chain each step is done once: a journal records what was done (`journal`, in the
folder of the chain, `chain_folder`), and the chain shows whether that still holds (`recovery`). Steps are recognized by their
names and by what they send (`matching`). So a plan can be edited, repeated, or resumed after it was killed (`deployer`).
"""

from __future__ import annotations

from chain.deployment.plan import Deployment

__all__ = ["Deployment"]
