import pytest

from mostrador._frames import Frame, FrameParser


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ('id: 17\nevent: lead.created\ndata: {"a":1}\n\n', [Frame(17, '{"a":1}')]),
        (": heartbeat\nid: 18\n\n", [Frame(18)]),
        ("retry: 2500\n\n", [Frame(retry=2.5)]),
        ("retry: soon\n\n", []),
        (": heartbeat\n\n", []),
        ("data: a\ndata:b\ndata\n\n", [Frame(data="a\nb\n")]),
        ("data:  a\n\n", [Frame(data=" a")]),
        ("id: 1\r\n\r\nid: 2\r\rid: 3\n\n", [Frame(1), Frame(2), Frame(3)]),
        ('data: "\u2028\x85\v"\n\n', [Frame(data='"\u2028\x85\v"')]),
        ("id: 1\n\nid: 2\ndata: half", [Frame(1)]),
    ],
)
def test_frames_are_read_wherever_the_bytes_are_cut(text: str, frames: list[Frame]) -> None:
    sent = text.encode()
    for size in range(1, len(sent) + 1):
        parser = FrameParser()
        pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
        assert [frame for piece in pieces for frame in parser.frames(piece)] == frames
