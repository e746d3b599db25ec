"""Calls the Mostrador API: typed, with retries, idempotency keys and iterators, sync and async."""

from . import problems
from ._client import AsyncMostrador, Mostrador
from ._errors import ApiConnectionError, MostradorError, ProblemError
from ._generated.types import UNSET, Unset

__all__ = [
    "UNSET",
    "ApiConnectionError",
    "AsyncMostrador",
    "Mostrador",
    "MostradorError",
    "ProblemError",
    "Unset",
    "problems",
]
