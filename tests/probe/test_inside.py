"""The worker's half, as far as it can be tested in this process."""

from __future__ import annotations

import inspect
import os
import socket
import struct
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flybisect.probe.inside import irlines, locations, pipeline, recorder, tracebacks, wire
from flybisect.probe.inside.coverage import Coverage
from flybisect.probe.inside.pump import HEAD, TAIL, Pump

INSIDE = Path(wire.__file__).parent


def test_the_workers_half_does_not_lean_on_the_tools() -> None:
    for path in [*INSIDE.glob("*.py"), INSIDE.parent / "worker.py"]:
        text = path.read_text()
        imported = [line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))]
        assert not {"flybisect", "msgpack"} & {name.partition(".")[0] for name in imported}, path


def test_wire_carries_what_it_is_given() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        message = {"text": "ä\udce9\0", "list": [1, None, {"x": 2.5}], "long": "x" * 3_000_000}
        sender = threading.Thread(target=wire.send, args=(ours, message))
        sender.start()
        assert wire.receive(theirs) == message
        sender.join()
        ours.close()
        assert wire.receive(theirs) is None


@pytest.mark.parametrize(
    "data",
    [struct.pack("!I", 2**31), struct.pack("!I", 5) + b"ab", struct.pack("!I", 2) + b"[]",
     struct.pack("!I", 2) + b"{x"],
)  # fmt: skip
def test_wire_refuses_damage(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.close()
        with pytest.raises(wire.WireError):
            wire.receive(theirs)


def test_record_survives_being_cut_off() -> None:
    handle = os.memfd_create("record")
    record = recorder.Recorder(handle)
    record.stage("trace")
    record.stage("trace")
    record.binary("object", b"\0\xff")
    os.write(handle, b'{"kind": "half')
    stage, *others = recorder.read(handle, 1 << 20)
    assert stage.pop("at") > 0
    assert [stage, *others] == [
        {"kind": "stage", "stage": "trace"},
        {"kind": "object", "data": "AP8="},
    ]
    os.close(handle)


@given(st.lists(st.integers(1, 3 * HEAD), max_size=6))
def test_pump_keeps_both_ends(sizes: list[int]) -> None:
    reading, writing = os.pipe()
    pump = Pump(reading)
    sent = bytearray()
    for number, size in enumerate(sizes):
        piece = bytes([number]) * size
        sent += piece
        while piece:
            piece = piece[os.write(writing, piece[:4096]) :]
            pump.take()
    pump.drain()
    os.close(writing)
    assert not pump.take()
    pump.close()
    assert pump.head == sent[:HEAD]
    assert pump.tail == sent[HEAD:][-TAIL:]
    assert len(pump.head) + len(pump.tail) + pump.dropped == len(sent)


def test_pipeline_splits_before_the_binary() -> None:
    text = 'builtin.module(cse,gpu.module(cse,x{a=1 b=2}),gpu-module-to-binary{format=fatbin opts="-g"})'
    before, binary = pipeline.split(text)
    assert before == "builtin.module(cse,gpu.module(cse,x{a=1 b=2}))"
    assert binary == 'builtin.module(gpu-module-to-binary{format=fatbin opts="-g"})'
    assert pipeline.as_assembly(binary) == 'builtin.module(gpu-module-to-binary{format=isa opts="-g"})'


@pytest.mark.parametrize(
    ("text", "before", "binary"),
    [
        ("builtin.module(cse)", "builtin.module(cse)", None),
        ("builtin.module(gpu-module-to-binary)", None, "builtin.module(gpu-module-to-binary)"),
        ("builtin.module(x(gpu-module-to-binary))", "builtin.module(x(gpu-module-to-binary))", None),
        ("any(gpu-module-to-binary)", "any(gpu-module-to-binary)", None),
    ],
)
def test_pipelines_of_another_form(text: str, before: str | None, binary: str | None) -> None:
    assert pipeline.split(text) == (before, binary)


def test_assembly_of_a_binary_without_options() -> None:
    text = "builtin.module(gpu-module-to-binary)"
    assert pipeline.as_assembly(text) == "builtin.module(gpu-module-to-binary{format=isa})"


LOCATED = """\
#loc = loc(unknown)
#loc3 = loc("/x/script.py":20:4)
module {
  func.func @f(%arg0: i32 loc("/x/script.py":1:0)) {
    %0 = "a.b"() : () -> i32 loc(#loc5)
    "c.d"(%0) : (i32) -> () loc(#loc6)
    "e.f"() : () -> () loc(#loc)
    return loc(#loc3)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("/flydsl/expr.py":7:0)
#loc2 = loc("/x/script.py":12:8)
#loc5 = loc(callsite(#loc1 at callsite(#loc2 at #loc3)))
#loc6 = loc("x = y (z)"(#loc3))
"""


@pytest.mark.parametrize(
    ("line", "found"), [(3, 12), (4, 20), (5, None), (6, 20), (1, None), (99, None), (0, None)]
)
def test_script_line_of_a_line_of_ir(line: int, found: int | None) -> None:
    assert irlines.script_line(LOCATED, line, "/x/script.py") == found


def test_places_in_a_message() -> None:
    assert irlines.places('error: "-":66:7: x\n note: "-":66:9: y "-":7:1: z') == [66, 7]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no positions before Python 3.11")
def test_quicker_frame_info_says_the_same() -> None:
    frame = inspect.currentframe()
    memory = locations._Memory()

    def check() -> None:
        here = inspect.currentframe()
        while here is not None:
            # One statement, so that this frame stands at one place for both.
            quick, slow = (f(here, context=0) for f in (memory.getframeinfo, inspect.getframeinfo))
            assert quick == slow
            if here.f_back is not None and here.f_code is not check.__code__:
                assert vars(quick)["positions"] == vars(slow)["positions"]
            here = here.f_back

    check()
    for _ in range(2):
        [check() for _ in range(2)]  # type: ignore[func-returns-value]
    assert memory.getframeinfo(frame).code_context is not None


def test_coverage_of_this_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def f(x):\n    if x:\n        return 1\n    return 2\n\nf(0)\nf(0)\n")
    handle = os.memfd_create("record")
    code = compile(script.read_text(), str(script), "exec")
    coverage = Coverage(recorder.Recorder(handle), str(script))
    before = sys.gettrace()
    coverage.start()
    exec(code, {})
    coverage.stop()
    sys.settrace(before)
    found = sorted(fact["line"] for fact in recorder.read(handle, 1 << 20))
    os.close(handle)
    assert [line for line in found if line != 1] == [2, 4, 6, 7]


def test_tracebacks_without_the_tools_frames() -> None:
    try:
        wire.receive(None)  # type: ignore[arg-type]
    except AttributeError as error:
        trace = tracebacks.without_own(error.__traceback__)
    assert trace is not None
    assert trace.tb_frame.f_code.co_filename == __file__
    assert trace.tb_next is None
