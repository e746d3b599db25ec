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

from ._errors import ApiConnectionError, MostradorError, problem_error
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
    on_retry: Callable[[MostradorError], object] | None = None

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
        error = self._error(outcome)
        delay = delay_seconds(self._retry, asked, random.random())
        if can_retry and self._retry < self._settings.max_retries and time.monotonic() + delay < self._deadline:
            self._retry += 1
            if self._settings.on_retry:
                self._settings.on_retry(error)
            return delay
        raise error

    def _error(self, outcome: httpx.Response | httpx.TransportError) -> MostradorError:
        if isinstance(outcome, httpx.Response):
            return problem_error(outcome, self.idempotency_key)
        what = "had no answer in time" if isinstance(outcome, httpx.TimeoutException) else "failed: no connection"
        error = ApiConnectionError(f"{self._what} {what}.", self.idempotency_key)
        error.__cause__ = outcome
        return error


class _Parser:
    def __init__(self, settings: Settings) -> None:
        self._generated = GeneratedClient(base_url=settings.base_url, raise_on_unexpected_status=True)

    def parsed(self, response: httpx.Response, parse: Callable[..., Any]) -> Any:
        if "json" not in response.headers.get("content-type", ""):
            return response.text
        return parse(client=self._generated, response=response)


class Api(_Parser):
    def __init__(
        self, settings: Settings, http: httpx.Client, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__(settings)
        self.settings, self._http, self._sleep = settings, http, sleep

    def with_settings(self, settings: Settings, sleep: Callable[[float], None]) -> Api:
        return Api(settings, self._http, sleep)

    def call(self, request: dict[str, Any], parse: Callable[..., Any]) -> Any:
        return self.parsed(self.send(request), parse)

    def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """The answer of success. With `stream` its body is still to be read."""
        call = Call(self.settings, request)
        while True:
            sent = call.request(self._http)
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = self._http.send(sent, follow_redirects=False, stream=stream)
                if not outcome.is_success:
                    outcome.read()
            except httpx.TransportError as error:
                outcome = error
            delay = call.delay_after(sent, outcome)
            if delay is None:
                assert isinstance(outcome, httpx.Response)
                return outcome
            self._sleep(delay)


class AsyncApi(_Parser):
    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        super().__init__(settings)
        self.settings, self._http, self.sleep = settings, http, asyncio.sleep

    def with_settings(self, settings: Settings) -> AsyncApi:
        return AsyncApi(settings, self._http)

    async def call(self, request: dict[str, Any], parse: Callable[..., Any]) -> Any:
        return self.parsed(await self.send(request), parse)

    async def send(self, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """The answer of success. With `stream` its body is still to be read."""
        call = Call(self.settings, request)
        while True:
            sent = call.request(self._http)
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.send(sent, follow_redirects=False, stream=stream)
                if not outcome.is_success:
                    await outcome.aread()
            except httpx.TransportError as error:
                outcome = error
            delay = call.delay_after(sent, outcome)
            if delay is None:
                assert isinstance(outcome, httpx.Response)
                return outcome
            await asyncio.sleep(delay)
