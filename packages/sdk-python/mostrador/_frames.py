"""Reads `text/event-stream`. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

# A CR at the end may be half of a line break. `str.splitlines` would also split at characters that JSON may have.
LINE_BREAK = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True)
class Frame:
    """A frame without `data` tells the position, or how many seconds to wait before connecting again."""

    id: int | None = None
    data: str | None = None
    retry: float | None = None


class FrameParser:
    """Takes the bytes of a stream piece by piece. A frame that its empty line has not ended does not count."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._lines: list[str] = []

    def frames(self, piece: bytes) -> Iterator[Frame]:
        *lines, self._rest = LINE_BREAK.split(self._rest + self._decoder.decode(piece))
        for line in lines:
            if line:
                self._lines.append(line)
                continue
            frame = _frame(self._lines)
            self._lines = []
            if frame != Frame():
                yield frame


def _frame(lines: list[str]) -> Frame:
    """What the lines of a frame say. Comments and unknown fields say nothing."""
    fields: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields.setdefault(name, []).append(value.removeprefix(" "))
    id, retry = (_number(fields.get(name, [""])[-1]) for name in ("id", "retry"))
    data = fields.get("data")
    return Frame(id, None if data is None else "\n".join(data), None if retry is None else retry / 1000)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
