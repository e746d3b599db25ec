"""Events of the feed and of webhooks, typed by their `type`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ._generated.events import BY_TYPE, FeedEvent
from ._generated.models.event import Event


def event_from(body: Mapping[str, Any]) -> FeedEvent:
    """The event as the model of its type.

    An event of a type that is newer than this version is an `Event`. An object that this version cannot read becomes
    `None`, as one that is too large for an event: the program reads the resource then.
    """
    model = BY_TYPE.get(body["type"])
    if model is None:
        return Event.from_dict(body)
    try:
        event = model.from_dict(body)
    except (AttributeError, KeyError, TypeError, ValueError):
        return Event.from_dict(body)
    # The generated model leaves an object as it came when it cannot read it.
    data = cast(Any, event).data
    if isinstance(getattr(data, "object_", None), dict):
        data.object_ = None
    return event


@dataclass(frozen=True)
class EventPage:
    """Events of the feed, and the position behind them."""

    data: list[FeedEvent]
    next: int


class Position:
    """How far a reader of the feed has come."""

    def __init__(self, after: int) -> None:
        if not isinstance(after, int) or isinstance(after, bool) or after < -1:
            raise ValueError("`after` must be a cursor, 0 (from the oldest event) or -1 (from now on).")
        self.cursor = after

    def fresh(self, page: EventPage) -> EventPage | None:
        """The page without what was there before. None when it leads no further."""
        data: list[FeedEvent] = []
        last = self.cursor
        for event in page.data:
            if event.sequence > last:
                last = event.sequence
                data.append(event)
        following = max(last, page.next)
        return EventPage(data, following) if following > self.cursor else None
