from __future__ import annotations

import json
import math
import random
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx

from ._errors import ApiConnectionError, MostradorError, problem_error
from ._events import EventPage, Position, event_from
from ._frames import Frame, FrameParser
from ._generated.events import FeedEvent
from ._generated.models.event_type import EventType

if TYPE_CHECKING:
    from ._api import Api, AsyncApi, Settings

# What the server allows at most.
WAIT_SECONDS = 20
PAGE_SIZE = 100
# An attempt must be longer than the server waits. A stream has a comment every 15 seconds.
LEAST_ATTEMPT_SECONDS = 30.0
FIRST_RETRY_SECONDS = 2.0

OnRetry = Callable[[MostradorError], object]


class _Closed(Exception):
    pass


class Follower:
    """Follows the event feed of the store.

    Iteration gives each event once, in the order of the feed, and waits for new ones. A broken connection is made again
    and loses nothing. It ends by `break` or `close()`.
    """

    def __init__(self, source: Callable[[Position, Callable[[float], None]], Iterator[EventPage]], after: int) -> None:
        self._source, self._position = source, Position(after)
        self._closed = threading.Event()

    @property
    def cursor(self) -> int:
        """The position behind the last event that the loop got.

        Store it after what you do with the event, and pass it as `after` next time.
        """
        return self._position.cursor

    def __iter__(self) -> Iterator[FeedEvent]:
        for page in self._fresh():
            for event in page.data:
                if self._closed.is_set():
                    return
                self._position.cursor = event.sequence
                yield event
            self._position.cursor = page.next

    def pages(self) -> Iterator[EventPage]:
        """The same events in pages, for a program that stores a page and its `next` in one transaction.

        A page may be empty: then the filters let none of the events through that its `next` has passed.
        """
        for page in self._fresh():
            self._position.cursor = page.next
            yield page

    def close(self) -> None:
        """Ends the loop from another thread, when it has the answer that it waits for: within 20 seconds."""
        self._closed.set()

    def _fresh(self) -> Iterator[EventPage]:
        try:
            self._sleep(0)
            for page in self._source(self._position, self._sleep):
                self._sleep(0)
                fresh = self._position.fresh(page)
                if fresh:
                    yield fresh
        except _Closed:
            return

    def _sleep(self, seconds: float) -> None:
        if self._closed.wait(seconds):
            raise _Closed


class AsyncFollower:
    """The same as `Follower`, for asyncio. Cancelling the task ends it, too."""

    def __init__(self, source: Callable[[Position], AsyncGenerator[EventPage, None]], after: int) -> None:
        self._source, self._position = source, Position(after)

    @property
    def cursor(self) -> int:
        """The position behind the last event that the loop got.

        Store it after what you do with the event, and pass it as `after` next time.
        """
        return self._position.cursor

    async def __aiter__(self) -> AsyncIterator[FeedEvent]:
        async with aclosing(self._fresh()) as pages:
            async for page in pages:
                for event in page.data:
                    self._position.cursor = event.sequence
                    yield event
                self._position.cursor = page.next

    async def pages(self) -> AsyncIterator[EventPage]:
        """The same events in pages, for a program that stores a page and its `next` in one transaction.

        A page may be empty: then the filters let none of the events through that its `next` has passed.
        """
        async with aclosing(self._fresh()) as pages:
            async for page in pages:
                self._position.cursor = page.next
                yield page

    async def _fresh(self) -> AsyncGenerator[EventPage, None]:
        async with aclosing(self._source(self._position)) as pages:
            async for page in pages:
                fresh = self._position.fresh(page)
                if fresh:
                    yield fresh


class Feed:
    """The functions of `client.events` that follow the feed. They go on when the server is away for long."""

    _api: Api

    def follow(
        self,
        *,
        after: int,
        types: Sequence[EventType] = (),
        entity_id: UUID | None = None,
        max_retries: int = sys.maxsize,
        on_retry: OnRetry | None = None,
    ) -> Follower:
        """Follows the feed by requests that wait for events: `GET /events`.

        :param after: the cursor that you stored. 0: from the oldest event that the feed has. -1: from now on
        :param types: only events of these types
        :param entity_id: only events of this resource
        :param max_retries: how many attempts in a row may fail. Default: any number
        :param on_retry: called before each new attempt, with why it is needed
        """

        def poll(position: Position, sleep: Callable[[float], None]) -> Iterator[EventPage]:
            api = self._api.with_settings(_settings(self._api.settings, max_retries, on_retry), sleep)
            while True:
                yield _page_of_list(api.send(_list_request(position, types, entity_id)))

        return Follower(poll, after)

    def stream(
        self,
        *,
        after: int,
        types: Sequence[EventType] = (),
        entity_id: UUID | None = None,
        max_retries: int = sys.maxsize,
        on_retry: OnRetry | None = None,
    ) -> Follower:
        """Follows the feed by server-sent events: `GET /events/stream`.

        Events come a little sooner than with `follow`, on one connection. The parameters are the same.
        """

        def stream(position: Position, sleep: Callable[[float], None]) -> Iterator[EventPage]:
            api = self._api.with_settings(_settings(self._api.settings, max_retries, on_retry), sleep)
            reading = _Reading(FIRST_RETRY_SECONDS)
            while True:
                response = api.send(_stream_request(position, after, types, entity_id), stream=True)
                try:
                    if not _is_stream(response):
                        response.read()
                        raise problem_error(response, None)
                    for piece in response.iter_bytes():
                        yield from reading.pages(piece)
                except httpx.TransportError:
                    pass  # the connection broke, or was silent for too long
                finally:
                    response.close()
                _tell_end(on_retry)
                sleep(reading.pause + random.random() / 2)
                reading = _Reading(reading.pause)

        return Follower(stream, after)


class AsyncFeed:
    """The functions of `client.events` that follow the feed. They go on when the server is away for long."""

    _api: AsyncApi

    def follow(
        self,
        *,
        after: int,
        types: Sequence[EventType] = (),
        entity_id: UUID | None = None,
        max_retries: int = sys.maxsize,
        on_retry: OnRetry | None = None,
    ) -> AsyncFollower:
        """Follows the feed by requests that wait for events: `GET /events`.

        :param after: the cursor that you stored. 0: from the oldest event that the feed has. -1: from now on
        :param types: only events of these types
        :param entity_id: only events of this resource
        :param max_retries: how many attempts in a row may fail. Default: any number
        :param on_retry: called before each new attempt, with why it is needed
        """

        async def poll(position: Position) -> AsyncGenerator[EventPage, None]:
            api = self._api.with_settings(_settings(self._api.settings, max_retries, on_retry))
            while True:
                yield _page_of_list(await api.send(_list_request(position, types, entity_id)))

        return AsyncFollower(poll, after)

    def stream(
        self,
        *,
        after: int,
        types: Sequence[EventType] = (),
        entity_id: UUID | None = None,
        max_retries: int = sys.maxsize,
        on_retry: OnRetry | None = None,
    ) -> AsyncFollower:
        """Follows the feed by server-sent events: `GET /events/stream`.

        Events come a little sooner than with `follow`, on one connection. The parameters are the same.
        """

        async def stream(position: Position) -> AsyncGenerator[EventPage, None]:
            api = self._api.with_settings(_settings(self._api.settings, max_retries, on_retry))
            reading = _Reading(FIRST_RETRY_SECONDS)
            while True:
                response = await api.send(_stream_request(position, after, types, entity_id), stream=True)
                try:
                    if not _is_stream(response):
                        await response.aread()
                        raise problem_error(response, None)
                    async for piece in response.aiter_bytes():
                        for page in reading.pages(piece):
                            yield page
                except httpx.TransportError:
                    pass  # the connection broke, or was silent for too long
                finally:
                    await response.aclose()
                _tell_end(on_retry)
                await api.sleep(reading.pause + random.random() / 2)
                reading = _Reading(reading.pause)

        return AsyncFollower(stream, after)


class _Reading:
    """Reads one stream piece by piece. `pause` is how long the server asks to wait before the next one."""

    def __init__(self, pause: float) -> None:
        self._parser, self.pause = FrameParser(), pause

    def pages(self, piece: bytes) -> Iterator[EventPage]:
        for frame in self._parser.frames(piece):
            self.pause = frame.retry or self.pause
            page = _page_of_frame(frame)
            if page:
                yield page


def _settings(settings: Settings, max_retries: int, on_retry: OnRetry | None) -> Settings:
    attempt_timeout = max(settings.attempt_timeout, LEAST_ATTEMPT_SECONDS)
    return replace(
        settings, max_retries=max_retries, timeout=math.inf, attempt_timeout=attempt_timeout, on_retry=on_retry
    )


def _filters(types: Sequence[EventType], entity_id: UUID | None) -> dict[str, Any]:
    return {**({"types": list(types)} if types else {}), **({"entity_id": str(entity_id)} if entity_id else {})}


def _list_request(position: Position, types: Sequence[EventType], entity_id: UUID | None) -> dict[str, Any]:
    after = position.cursor
    # The first answer of -1 gives a position, from which a broken connection loses nothing.
    wait = 0 if after < 0 else WAIT_SECONDS
    params = {**_filters(types, entity_id), "after": after, "limit": PAGE_SIZE, "wait": wait}
    return {"method": "get", "url": "/events", "params": params}


def _stream_request(
    position: Position, after: int, types: Sequence[EventType], entity_id: UUID | None
) -> dict[str, Any]:
    cursor = position.cursor
    headers = {} if cursor < 0 else {"Last-Event-ID": str(cursor)}
    params = {**_filters(types, entity_id), "after": after}
    return {"method": "get", "url": "/events/stream", "params": params, "headers": headers}


def _page_of_list(response: httpx.Response) -> EventPage:
    body = response.json()
    return EventPage([event_from(event) for event in body["data"]], body["next"])


def _page_of_frame(frame: Frame) -> EventPage | None:
    if frame.data is None:
        return None if frame.id is None else EventPage([], frame.id)
    event = event_from(json.loads(frame.data))
    return EventPage([event], event.sequence if frame.id is None else frame.id)


def _is_stream(response: httpx.Response) -> bool:
    content_type: str = response.headers.get("content-type", "")
    return content_type.startswith("text/event-stream")


def _tell_end(on_retry: OnRetry | None) -> None:
    if on_retry:
        on_retry(ApiConnectionError("GET /events/stream ended.", None))
