"""Scripted deployments: the contracts of a chain are declared as a plan, which is applied step by step.

A script has a function `plan(deployment)`, which deploys and calls as it would on a chain. Each call is recorded as a step,
which is one transaction. On a chain each step is done once: a journal says what was done, and the chain whether it is still
deployed. So a deployment can be repeated, or resumed after it was killed.
"""

from __future__ import annotations

from chain.deployment.plan import Deployment

__all__ = ["Deployment"]
