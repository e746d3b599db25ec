"""Calls the Mostrador API, follows its events and verifies its webhooks: typed, with retries, sync and async."""

from . import problems, webhooks
from ._client import AsyncMostrador, Mostrador
from ._errors import ApiConnectionError, MostradorError, ProblemError
from ._events import EventPage
from ._feed import AsyncFollower, Follower
from ._generated.events import FeedEvent
from ._generated.types import UNSET, Unset
from ._generated.version import __version__

__all__ = [
    "UNSET",
    "ApiConnectionError",
    "AsyncFollower",
    "AsyncMostrador",
    "EventPage",
    "FeedEvent",
    "Follower",
    "Mostrador",
    "MostradorError",
    "ProblemError",
    "Unset",
    "__version__",
    "problems",
    "webhooks",
]
