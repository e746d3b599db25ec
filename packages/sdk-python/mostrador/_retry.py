"""Which answers are worth a retry, and when. Pure."""

import email.utils
from collections.abc import Mapping

FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 8.0


def is_retryable(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may succeed later.

    Every retry is safe: a read changes nothing, and a write has an idempotency key. A 409 has `Retry-After` when the
    state passes by itself (`idempotency_in_progress`).
    """
    return status in (408, 429) or status >= 500 or (status == 409 and "retry-after" in headers)


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float:
    """The seconds in `Retry-After`, which has seconds or a date. 0 without one."""
    value = headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return 0.0


def delay_seconds(retry: int, asked: float, random: float) -> float:
    """The seconds before the next attempt.

    Exponential, with jitter so that clients do not return together, and never less than the server asks for.

    :param retry: 0 before the first retry
    :param random: from 0 to 1
    """
    backoff: float = min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** min(retry, 10)) * (0.5 + random / 2)
    return max(asked + random * FIRST_BACKOFF_SECONDS, backoff) if asked > 0 else backoff
