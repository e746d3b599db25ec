from __future__ import annotations

from typing import Any

import httpx

from ._generated.models.problem import Problem


class MostradorError(Exception):
    """A call failed."""

    idempotency_key: str | None
    """The request's idempotency key. The same call with the same key has its effect once."""

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiConnectionError(MostradorError):
    """No answer came: the connection failed, or the time was up. The request may have taken effect."""


class ProblemError(MostradorError):
    """The API refused a request, or still fails after the last retry.

    Each code of the API has a subclass in `mostrador.problems`. Later versions of the API add codes, whose error is this
    class.
    """

    problem: Any
    """The body of the answer (RFC 9457)."""

    def __init__(self, problem: Any, idempotency_key: str | None) -> None:
        super().__init__(
            f"{problem.detail} ({problem.status} {problem.code}, request {problem.request_id})", idempotency_key
        )
        self.problem = problem

    @property
    def code(self) -> str:
        """What to decide by."""
        return str(self.problem.code)

    @property
    def status(self) -> int:
        return int(self.problem.status)

    @property
    def request_id(self) -> str:
        return str(self.problem.request_id)


def problem_error(response: httpx.Response, idempotency_key: str | None) -> ProblemError:
    """The error of an answer. An answer that is no problem document has the code `unexpected_response`."""
    from .problems import BY_CODE

    try:
        body = response.json()
        error_class, model = BY_CODE.get(body["code"], (ProblemError, Problem))
        return error_class(model.from_dict(body), idempotency_key)
    except (ValueError, TypeError, KeyError, AttributeError):
        problem = Problem(
            type_="about:blank",
            title="Unexpected response",
            status=response.status_code,
            detail="The answer is no problem document of the API. Check the base URL and the proxies in between.",
            code="unexpected_response",
            request_id=response.headers.get("x-request-id", "unknown"),
        )
        return ProblemError(problem, idempotency_key)
