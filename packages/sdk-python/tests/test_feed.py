from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from events import lead_event
from server import Answer, Server, answer, break_off, problem, serve

from mostrador import ApiConnectionError, AsyncMostrador, Mostrador, MostradorError, ProblemError, problems

API_KEY = "mk_live_secret0secret"

Take = Callable[..., list[int]]


def take_sync(server: Server, way: str, count: int, **arguments: Any) -> list[int]:
    got: list[int] = []
    with Mostrador(server.base_url, API_KEY) as client:
        events = getattr(client.events, way)(**arguments)
        for event in events:
            assert events.cursor == event.sequence
            got.append(event.sequence)
            if len(got) == count:
                break
    return got


def take_async(server: Server, way: str, count: int, **arguments: Any) -> list[int]:
    async def main() -> list[int]:
        got: list[int] = []
        async with AsyncMostrador(server.base_url, API_KEY) as client:
            events = getattr(client.events, way)(**arguments)
            async for event in events:
                assert events.cursor == event.sequence
                got.append(event.sequence)
                if len(got) == count:
                    break
        return got

    return asyncio.run(main())


every = [pytest.mark.parametrize("take", [take_sync, take_async]), pytest.mark.parametrize("way", ["follow", "stream"])]


def each_way(test: Any) -> Any:
    for mark in every:
        test = mark(test)
    return test


def query_of(path: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}


def frame(sequence: int) -> bytes:
    return f"id: {sequence}\nevent: lead.created\ndata: {json.dumps(lead_event(sequence))}\n\n".encode()


class Feed:
    """A feed of some events: a page has three of them, and a stream all that are left."""

    def __init__(self, total: int) -> None:
        self._total = total

    def _text(self, handler: BaseHTTPRequestHandler) -> tuple[str, bytes]:
        after = int(handler.headers.get("last-event-id") or query_of(handler.path)["after"])
        left = list(range(after + 1, self._total + 1))
        if "/stream" in handler.path:
            return "text/event-stream", b"retry: 1\n\n" + b"".join(map(frame, left))
        page = {"data": [lead_event(each) for each in left[:3]], "next": left[:3][-1] if left else self._total}
        return "application/json", json.dumps(page).encode()

    def whole(self, handler: BaseHTTPRequestHandler) -> None:
        kind, content = self._text(handler)
        handler.send_response(200)
        handler.send_header("content-type", kind)
        if kind == "application/json":
            handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        handler.close_connection = True

    def cut(self, size: int) -> Answer:
        """The answer without its end."""

        def send(handler: BaseHTTPRequestHandler) -> None:
            kind, content = self._text(handler)
            handler.send_response(200)
            handler.send_header("content-type", kind)
            handler.send_header("content-length", str(len(content) + 100))
            handler.end_headers()
            handler.wfile.write(content[:size])
            handler.close_connection = True

        return send


@each_way
def test_each_event_comes_once_however_connections_break(take: Take, way: str) -> None:
    feed = Feed(8)
    reasons: list[MostradorError] = []
    answers = [break_off, feed.cut(0), feed.cut(1500), problem(503, "service_unavailable"), feed.whole]
    with serve(*answers) as server:
        assert take(server, way, 8, after=0, on_retry=reasons.append) == list(range(1, 9))
    assert len(reasons) >= 4
    assert all(isinstance(reason, (ProblemError, ApiConnectionError)) for reason in reasons)
    assert {request.headers["x-api-key"] for request in server.received} == {API_KEY}


@each_way
def test_the_filters_and_the_position_are_in_the_request(take: Take, way: str) -> None:
    with serve(Feed(9).whole) as server:
        assert take(server, way, 2, after=7, types=["lead.created", "lead.updated"]) == [8, 9]
    first = server.received[0]
    expected = {"types": "lead.created,lead.updated", "after": "7"}
    assert query_of(first.path) == (expected | {"limit": "100", "wait": "20"} if way == "follow" else expected)


@each_way
@pytest.mark.parametrize(
    ("status", "code", "error"), [(410, "cursor_expired", problems.CursorExpired), (401, "invalid_api_key", problems.InvalidApiKey)]
)
def test_an_answer_that_stays_ends_the_loop_with_its_error(
    take: Take, way: str, status: int, code: str, error: type[ProblemError]
) -> None:
    with serve(Feed(2).cut(5), problem(status, code)) as server:
        with pytest.raises(error):
            take(server, way, 5, after=0)


@each_way
def test_the_number_of_failures_in_a_row_can_be_limited(take: Take, way: str) -> None:
    with serve(break_off) as server:
        with pytest.raises(ApiConnectionError):
            take(server, way, 1, after=0, max_retries=1)
    assert len(server.received) == 2


@each_way
def test_minus_one_keeps_the_position_of_the_first_answer(take: Take, way: str) -> None:
    def position(handler: BaseHTTPRequestHandler) -> None:
        if way == "follow":
            answer(200, {"data": [], "next": 40})(handler)
        else:
            answer(200, "retry: 1\n\nid: 40\n\nid: 41\ndata: {", {"content-type": "text/event-stream"})(handler)

    with serve(position, break_off, Feed(41).whole) as server:
        assert take(server, way, 1, after=-1) == [41]
    places = [request.headers.get("last-event-id") or query_of(request.path)["after"] for request in server.received]
    assert places == ["-1", "40", "40"]
    if way == "follow":
        assert [query_of(request.path)["wait"] for request in server.received] == ["0", "20", "20"]


def test_pages_have_their_next_and_a_loop_after_break_goes_on_behind_the_last_event() -> None:
    with serve(Feed(5).whole) as server, Mostrador(server.base_url, API_KEY) as client:
        events = client.events.follow(after=0)
        first = next(iter(events))
        assert (first.sequence, events.cursor) == (1, 1)
        pages = events.pages()
        assert [(len(page.data), page.next) for page in (next(pages), next(pages))] == [(3, 4), (1, 5)]


def test_close_ends_the_loop_from_another_thread() -> None:
    since = time.monotonic()
    with serve(problem(503, "service_unavailable", {"retry-after": "30"})) as server:
        with Mostrador(server.base_url, API_KEY) as client:
            events = client.events.follow(after=0)
            threading.Timer(0.3, events.close).start()
            assert list(events) == []
    assert time.monotonic() - since < 10


def test_cancelling_a_task_ends_the_loop() -> None:
    async def main(server: Server) -> None:
        async with AsyncMostrador(server.base_url, API_KEY) as client:
            async with asyncio.timeout(0.5):
                async for _ in client.events.stream(after=0):
                    pass

    with serve(problem(503, "service_unavailable", {"retry-after": "30"})) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(main(server))


@pytest.mark.parametrize("after", [-2, 1.5, "7", None, True])
def test_what_is_no_cursor_is_refused(after: Any) -> None:
    client = Mostrador("http://127.0.0.1:9/v1", API_KEY)
    with pytest.raises(ValueError, match="`after`"):
        client.events.follow(after=after)
