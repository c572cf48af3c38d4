"""torch on a machine without a GPU: a script that allocates on `cuda` gets CPU tensors and goes on.

FlyDSL only looks at a tensor's shape, strides and type while it compiles, and nothing is run.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

_BOARDS = {
    "gfx90a": ("AMD Instinct MI250X", 110, 64),
    "gfx942": ("AMD Instinct MI300X", 304, 192),
    "gfx950": ("AMD Instinct MI355X", 256, 288),
}
"""Name, compute units, GiB of memory, from AMD's data sheets."""


def install(arch: str) -> None:
    """For this process, for good."""
    torch = importlib.import_module("torch")
    _mode_class(torch)().__enter__()
    _replace_default_device(torch)
    _replace_generator(torch)
    _replace_cuda(torch, arch)
    if torch.version.hip is None:
        # Any ROCm: scripts ask whether there is one.
        torch.version.hip = "6.4"


def to_cpu(value: Any, torch: Any) -> Any:
    """`value` with a cuda device, in whichever form, turned into the CPU."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def _mode_class(torch: Any) -> Any:
    overrides = importlib.import_module("torch.overrides")
    tensor = torch.Tensor
    returns_self = {tensor.cuda, tensor.pin_memory}
    answers = {tensor.is_cuda.__get__: True, tensor.get_device: 0}
    takes_device = {tensor.to, tensor.new_tensor, tensor.type}

    class WithoutGpu(overrides.TorchFunctionMode):  # type: ignore[misc,name-defined]
        """Sees every call into torch, and sends what is meant for a GPU to the CPU."""

        def __torch_function__(
            self, func: Any, kinds: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            named = dict(kwargs or {})
            if func in answers:
                return answers[func]
            if func in returns_self:
                return args[0]
            if "device" in named:
                device = named["device"]
                # A bare number is the index of a GPU.
                named["device"] = "cpu" if type(device) is int else to_cpu(device, torch)
            if named.get("pin_memory"):
                named["pin_memory"] = False
            if func in takes_device:
                args = tuple(_moved(value, torch) for value in args)
            return func(*args, **named)

    return WithoutGpu


def _moved(value: Any, torch: Any) -> Any:
    if type(value) is int:
        return "cpu"
    return to_cpu(value, torch)


def _replace_default_device(torch: Any) -> None:
    original = torch.set_default_device

    @functools.wraps(original)
    def set_default_device(device: Any) -> None:
        original(to_cpu(device, torch))

    torch.set_default_device = set_default_device


def _replace_generator(torch: Any) -> None:
    original = torch.Generator

    class Generator(original):  # type: ignore[misc,valid-type]
        def __new__(cls, device: Any = "cpu") -> Any:
            return original.__new__(cls, device=to_cpu(device, torch))

    torch.Generator = Generator


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


class Stream(StandIn):
    """`torch.cuda.Stream`: stream 0."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.cuda_stream = 0
        self.stream_id = 0
        self.device_index = 0

    def query(self) -> bool:
        return True


class Event(StandIn):
    """`torch.cuda.Event`: always reached."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.cuda_event = 0

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


def _constant(value: Any) -> Callable[..., Any]:
    def answer(*arguments: Any, **named: Any) -> Any:
        return value

    return answer


def _replace_cuda(torch: Any, arch: str) -> None:
    cuda = torch.cuda
    properties = Properties(arch)
    stream = Stream()
    total = properties.total_memory
    known: dict[str, Any] = {
        "is_available": _constant(True),
        "is_initialized": _constant(True),
        "init": _constant(None),
        "device_count": _constant(1),
        "current_device": _constant(0),
        "set_device": _constant(None),
        "synchronize": _constant(None),
        "empty_cache": _constant(None),
        "ipc_collect": _constant(None),
        "manual_seed": _constant(None),
        "manual_seed_all": _constant(None),
        "seed": _constant(None),
        "seed_all": _constant(None),
        "initial_seed": _constant(0),
        "get_device_properties": _constant(properties),
        "get_device_name": _constant(properties.name),
        "get_device_capability": _constant((properties.major, properties.minor)),
        "get_arch_list": _constant([arch]),
        "mem_get_info": _constant((total, total)),
        "memory_stats": _constant({}),
        "is_bf16_supported": _constant(True),
        "current_stream": _constant(stream),
        "default_stream": _constant(stream),
        "set_stream": _constant(None),
        "stream": _constant(StandIn()),
        "device": lambda *a, **k: StandIn(),
        "Stream": Stream,
        "ExternalStream": Stream,
        "Event": Event,
        "is_current_stream_capturing": _constant(False),
        "_lazy_init": _constant(None),
        "_is_in_bad_fork": _constant(False),
    }
    for name in ("allocated", "reserved"):
        known[f"memory_{name}"] = known[f"max_memory_{name}"] = _constant(0)
    for name, value in vars(cuda).copy().items():
        if isinstance(value, types.FunctionType) and not name.startswith("_"):
            setattr(cuda, name, StandIn())
    for name in ("CUDAGraph", "graph", "nvtx", "graphs", "Device"):
        setattr(cuda, name, StandIn())
    for name, value in known.items():
        setattr(cuda, name, value)
    cuda.__getattr__ = lambda name: _unknown(name)


def _unknown(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return StandIn()
