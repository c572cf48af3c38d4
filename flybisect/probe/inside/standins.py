"""What stands for a GPU's streams, events and properties where there is none."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from typing import Any

_BOARDS = {
    "gfx90a": ("AMD Instinct MI250X", 110, 64),
    "gfx942": ("AMD Instinct MI300X", 304, 192),
    "gfx950": ("AMD Instinct MI355X", 256, 288),
}
"""Name, compute units, GiB of memory, from AMD's data sheets."""


def device() -> Any:
    """The only GPU that there is."""
    return importlib.import_module("torch").device("cuda", 0)


class StandIn:
    """Answers to whatever is done with it, and does nothing: called, entered, asked for an attribute."""

    def __call__(self, *arguments: Any, **named: Any) -> StandIn:
        # A decorator without arguments gives back what it decorates.
        if len(arguments) == 1 and not named and isinstance(arguments[0], types.FunctionType):
            return arguments[0]  # type: ignore[return-value]
        return self

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __int__(self) -> int:
        return 0

    __index__ = __int__

    def __float__(self) -> float:
        return 0.0

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, key: Any) -> StandIn:
        return self

    # In a calculation it is a nought, as a measurement that found nothing.
    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return -other

    def __rsub__(self, other: Any) -> Any:
        return other

    def __mul__(self, other: Any) -> Any:
        return 0 * other

    __rmul__ = __truediv__ = __mul__

    def __lt__(self, other: Any) -> Any:
        return other > 0

    def __gt__(self, other: Any) -> Any:
        return other < 0


class Stream(StandIn):
    """`torch.cuda.Stream`: stream 0, whichever is asked for."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.cuda_stream = 0
        self.stream_id = 0
        self.device_index = 0
        self.device_type = 1
        self.priority = 0
        self.device = device()

    def record_event(self, event: Any = None) -> Any:
        return Event() if event is None else event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0

    def query(self) -> bool:
        return True


class Event(StandIn):
    """`torch.cuda.Event`: always reached."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.cuda_event = 0
        self.event_id = 0
        self.device = device()

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds. Not zero: scripts divide by it."""
        return 1.0


class Properties:
    """`torch.cuda.get_device_properties()`."""

    def __init__(self, arch: str) -> None:
        name, units, memory = _BOARDS.get(arch, ("AMD GPU", 64, 32))
        self.name = name
        self.gcnArchName = arch
        self.multi_processor_count = units
        self.total_memory = memory * 1024**3
        self.warp_size = 64 if arch.startswith("gfx9") else 32
        self.major, self.minor = _capability(arch)
        self.max_threads_per_multi_processor = 2048
        self.regs_per_multiprocessor = 65536
        self.shared_memory_per_block = _lds(arch)
        self.shared_memory_per_multiprocessor = _lds(arch)
        self.L2_cache_size = 4 * 1024**2
        self.max_threads_per_block = 1024
        self.shared_memory_per_block_optin = _lds(arch)
        self.clock_rate = 2_100_000
        self.memory_clock_rate = 1_300_000
        self.memory_bus_width = 8192
        self.pci_bus_id = self.pci_device_id = self.pci_domain_id = 0
        self.uuid = "00000000-0000-0000-0000-000000000000"
        self.is_integrated = 0
        self.is_multi_gpu_board = 0


def _lds(arch: str) -> int:
    return 160 * 1024 if arch == "gfx950" else 64 * 1024


def _capability(arch: str) -> tuple[int, int]:
    """As ROCm's torch gives it: `gfx942` is (9, 4)."""
    digits = arch.partition("gfx")[2].partition(":")[0]
    if len(digits) < 3 or not digits[:-2].isdigit():
        return (9, 4)
    return int(digits[:-2]), int(digits[-2], 16)
