from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from ._api import Api, AsyncApi

PageType = TypeVar("PageType")
Item = TypeVar("Item")


def next_request(request: dict[str, Any], response: httpx.Response) -> dict[str, Any] | None:
    """The request for the page that `Link` names.

    Only the query of the link counts: the key never goes to an address that an answer names.
    """
    link = re.search(r'<([^>]+)>; *rel="?next"?', response.headers.get("link", ""))
    return link and {**request, "params": httpx.QueryParams(urlsplit(link[1]).query)}


class Pages(Generic[PageType, Item]):
    """A list. Iteration gives every element of every page, and requests a page when the loop needs it."""

    def __init__(self, api: Api, request: dict[str, Any], parse: Callable[..., Any]) -> None:
        self._api, self._request, self._parse = api, request, parse

    def pages(self) -> Iterator[PageType]:
        """Every page, with its `total`."""
        request: dict[str, Any] | None = self._request
        while request is not None:
            response = self._api.send(request)
            yield cast(PageType, self._api.parsed(response, self._parse))
            request = next_request(request, response)

    def first_page(self) -> PageType:
        return next(self.pages())

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast(Any, page).data


class AsyncPages(Generic[PageType, Item]):
    """A list. Iteration gives every element of every page, and requests a page when the loop needs it."""

    def __init__(self, api: AsyncApi, request: dict[str, Any], parse: Callable[..., Any]) -> None:
        self._api, self._request, self._parse = api, request, parse

    async def pages(self) -> AsyncIterator[PageType]:
        """Every page, with its `total`."""
        request: dict[str, Any] | None = self._request
        while request is not None:
            response = await self._api.send(request)
            yield cast(PageType, self._api.parsed(response, self._parse))
            request = next_request(request, response)

    async def first_page(self) -> PageType:
        return await anext(self.pages())

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in cast(Any, page).data:
                yield item
