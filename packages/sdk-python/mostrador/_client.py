from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self, Unpack

import httpx

from ._api import Api, AsyncApi, Options, Settings
from ._generated.api import AsyncResources, Resources


class Mostrador(Resources):
    """A client of one store's API, with a function for each operation: `client.leads.list(status=[…])`.

    :param base_url: the API's address with its version, such as `https://api.example.com/integrations/v1`
    :param max_retries: how often a request is repeated that may succeed later. Default: 3
    :param timeout: the seconds for a call with all its retries. Default: 60
    :param attempt_timeout: the seconds for connecting, and for each wait for a part of an answer. Default: 30
    :param on_response: is called with each response, also of retries
    :param http_client: your own client of httpx, for example with a proxy
    """

    def __init__(
        self, base_url: str, api_key: str, *, http_client: httpx.Client | None = None, **settings: Unpack[Options]
    ) -> None:
        self._settings = Settings(base_url, api_key, **settings)
        self._http = http_client or httpx.Client()
        super().__init__(Api(self._settings, self._http))

    def with_options(self, **settings: Unpack[Options]) -> Mostrador:
        """The same client with other settings, such as `max_retries`. It has the same connections."""
        changed = replace(self._settings, **settings)
        return Mostrador(**vars(changed), http_client=self._http)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncMostrador(AsyncResources):
    """The same as `Mostrador`, for asyncio."""

    def __init__(
        self, base_url: str, api_key: str, *, http_client: httpx.AsyncClient | None = None, **settings: Unpack[Options]
    ) -> None:
        self._settings = Settings(base_url, api_key, **settings)
        self._http = http_client or httpx.AsyncClient()
        super().__init__(AsyncApi(self._settings, self._http))

    def with_options(self, **settings: Unpack[Options]) -> AsyncMostrador:
        """The same client with other settings, such as `max_retries`. It has the same connections."""
        changed = replace(self._settings, **settings)
        return AsyncMostrador(**vars(changed), http_client=self._http)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
