from __future__ import annotations

import asyncio
import random
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypedDict
from urllib.parse import urlsplit

import httpx

from ._errors import ApiConnectionError, problem_error
from ._generated.client import Client as GeneratedClient
from ._retry import delay_seconds, is_retryable, retry_after_seconds


class Options(TypedDict, total=False):
    max_retries: int
    timeout: float
    attempt_timeout: float
    on_response: Callable[[httpx.Response], object] | None


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str = field(repr=False)
    max_retries: int = 3
    timeout: float = 60.0
    attempt_timeout: float = 30.0
    on_response: Callable[[httpx.Response], object] | None = None

    def __post_init__(self) -> None:
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or url.username is not None:
            raise ValueError("`base_url` must be an http(s) URL without credentials.")
        # httpx would repeat a wrong header in its error.
        if not re.fullmatch(r"[\x21-\x7e]+", self.api_key):
            raise ValueError("`api_key` must be printable ASCII characters.")


class Call:
    """One call with its attempts. It decides; the sync and the async API send and sleep."""

    def __init__(self, settings: Settings, request: dict[str, Any]) -> None:
        self._settings = settings
        self._deadline = time.monotonic() + settings.timeout
        self._retry = 0
        self._what = f"{request['method'].upper()} {request['url']}"
        headers = {**request.get("headers", {}), "X-API-Key": settings.api_key}
        if request["method"] != "get":
            headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        self.idempotency_key: str | None = headers.get("Idempotency-Key")
        params = request.get("params", {})
        if isinstance(params, dict):
            params = {name: ",".join(value) if isinstance(value, list) else value for name, value in params.items()}
        self._request = {
            **request,
            "url": f"{settings.base_url.rstrip('/')}{request['url']}",
            "headers": headers,
            "params": params or None,
        }

    def request(self, http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        left = max(0.001, self._deadline - time.monotonic())
        return http.build_request(**self._request, timeout=min(left, self._settings.attempt_timeout))

    def delay_after(self, request: httpx.Request, outcome: httpx.Response | httpx.TransportError) -> float | None:
        """The seconds before the next attempt, or None after a success. Raises the final error."""
        # Neither an error nor a response keeps the key.
        request.headers.pop("X-API-Key", None)
        if isinstance(outcome, httpx.Response):
            if self._settings.on_response:
                self._settings.on_response(outcome)
            if outcome.is_success:
                return None
            can_retry = is_retryable(outcome.status_code, outcome.headers)
            asked = retry_after_seconds(outcome.headers, time.time())
        else:
            can_retry, asked = True, 0.0
        delay = delay_seconds(self._retry, asked, random.random())
        if can_retry and self._retry < self._settings.max_retries and time.monotonic() + delay < self._deadline:
            self._retry += 1
            return delay
        if isinstance(outcome, httpx.Response):
            raise problem_error(outcome, self.idempotency_key)
        what = "had no answer in time" if isinstance(outcome, httpx.TimeoutException) else "failed: no connection"
        raise ApiConnectionError(f"{self._what} {what}.", self.idempotency_key) from outcome


class _Parser:
    def __init__(self, settings: Settings) -> None:
        self._generated = GeneratedClient(base_url=settings.base_url, raise_on_unexpected_status=True)

    def parsed(self, response: httpx.Response, parse: Callable[..., Any]) -> Any:
        if "json" not in response.headers.get("content-type", ""):
            return response.text
        return parse(client=self._generated, response=response)


class Api(_Parser):
    def __init__(self, settings: Settings, http: httpx.Client) -> None:
        super().__init__(settings)
        self._settings, self._http = settings, http

    def call(self, request: dict[str, Any], parse: Callable[..., Any]) -> Any:
        return self.parsed(self.send(request), parse)

    def send(self, request: dict[str, Any]) -> httpx.Response:
        call = Call(self._settings, request)
        while True:
            sent = call.request(self._http)
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = self._http.send(sent, follow_redirects=False)
            except httpx.TransportError as error:
                outcome = error
            delay = call.delay_after(sent, outcome)
            if delay is None:
                assert isinstance(outcome, httpx.Response)
                return outcome
            time.sleep(delay)


class AsyncApi(_Parser):
    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        super().__init__(settings)
        self._settings, self._http = settings, http

    async def call(self, request: dict[str, Any], parse: Callable[..., Any]) -> Any:
        return self.parsed(await self.send(request), parse)

    async def send(self, request: dict[str, Any]) -> httpx.Response:
        call = Call(self._settings, request)
        while True:
            sent = call.request(self._http)
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.send(sent, follow_redirects=False)
            except httpx.TransportError as error:
                outcome = error
            delay = call.delay_after(sent, outcome)
            if delay is None:
                assert isinstance(outcome, httpx.Response)
                return outcome
            await asyncio.sleep(delay)
