"""The games that come with Boardchain. A package of this name in a user's project takes their place."""

from chain import Contract  # noqa: F401  # the chain finds that package, also if nobody imported the chain before
