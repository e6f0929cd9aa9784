"""Scripted deployments: what is to stand on a chain is declared as a plan, and applied step by step.

A script has a function `plan(deployment)`, which deploys and calls as it would on a chain; what it does is written down as
steps, each a transaction. Applied to a chain, each step is done once: a journal says what was done, and the chain itself
whether it still stands. So a deployment can be run again, or go on where it was killed.
"""

from __future__ import annotations

from chain.deployment.plan import Deployment

__all__ = ["Deployment"]
