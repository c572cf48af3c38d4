"""`torch.cuda` and its kin with stand-ins in place of all that would ask for a GPU."""

from __future__ import annotations

import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .standins import Event, Properties, StandIn, Stream


class Device(StandIn):
    """`with torch.cuda.device(0):`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.idx = 0


class Graph(StandIn):
    """`torch.cuda.CUDAGraph`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        return None


def _constant(value: Any) -> Callable[..., Any]:
    def answer(*arguments: Any, **named: Any) -> Any:
        return value

    return answer


def tell(cuda: Any, arch: str) -> None:
    """What `torch.cuda`, once it is replaced, says of the GPU."""
    properties = Properties(arch)
    total = properties.total_memory
    known = {
        "get_device_properties": properties,
        "get_device_name": properties.name,
        "get_device_capability": (properties.major, properties.minor),
        "get_arch_list": [arch],
        "mem_get_info": (total, total),
        "clock_rate": properties.clock_rate,
    }
    for name, value in known.items():
        setattr(cuda, name, _constant(value))


def replace(torch: Any) -> None:
    """For this process, for good."""
    _replace_cuda(torch)
    _replace_natives(torch)
    _replace_kinds(torch)
    torch.Stream, torch.Event = Stream, Event
    # It would compile for a GPU, and what is studied is not what it makes.
    torch.compile = _same


def _replace_cuda(torch: Any) -> None:
    cuda = torch.cuda
    stream = Stream()
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
        "memory_stats": lambda *a, **k: defaultdict(int),
        "memory_summary": _constant(""),
        "max_memory_cached": _constant(0),
        "memory_cached": _constant(0),
        "device_memory_used": _constant(0),
        "utilization": _constant(0),
        "temperature": _constant(0),
        "power_draw": _constant(0),
        "can_device_access_peer": _constant(True),
        "get_rng_state": lambda *a, **k: torch.get_rng_state(),
        "set_rng_state": _constant(None),
        "get_rng_state_all": lambda: [torch.get_rng_state()],
        "make_graphed_callables": lambda callables, *a, **k: callables,
        "default_generators": (torch.default_generator,),
        "_sleep": _constant(None),
        "is_bf16_supported": _constant(True),
        "current_stream": _constant(stream),
        "default_stream": _constant(stream),
        "set_stream": _constant(None),
        "stream": _constant(StandIn()),
        "device": Device,
        "device_of": Device,
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
    for name in ("graph", "nvtx", "graphs", "Device", "profiler"):
        setattr(cuda, name, StandIn())
    cuda.CUDAGraph = Graph
    for name, value in known.items():
        setattr(cuda, name, value)
    cuda.__getattr__ = lambda name: _unknown(name)


def _unknown(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return StandIn()


def _same(model: Any = None, *arguments: Any, **named: Any) -> Any:
    """`torch.compile`, as a function and as a decorator with arguments."""
    return model if model is not None else lambda function: function


def _replace_natives(torch: Any) -> None:
    """What scripts and libraries ask of `torch._C`, past `torch.cuda`."""
    native = torch._C
    native._cuda_getCurrentRawStream = _constant(0)
    native._cuda_getCurrentStream = _constant((0, 0, 1))
    native._cuda_sleep = _constant(None)
    for name in ("_cuda_record_memory_history", "_cuda_memorySnapshot", "_cuda_synchronize"):
        setattr(native, name, StandIn())
    accelerator = getattr(torch, "accelerator", None)
    for name, value in {
        "is_available": True,
        "device_count": 1,
        "current_accelerator": torch.device("cuda"),
        "current_device_index": 0,
        "current_device_idx": 0,
        "current_stream": Stream(),
        "synchronize": None,
        "set_device_index": None,
        "set_device_idx": None,
        "set_stream": None,
    }.items():
        if hasattr(accelerator, name):
            setattr(accelerator, name, _constant(value))


def _replace_kinds(torch: Any) -> None:
    """`torch.cuda.FloatTensor` and its like, which make tensors of the CPU then."""
    for name, value in vars(torch).copy().items():
        if name.endswith("Tensor") and isinstance(value, type) and hasattr(torch.cuda, name):
            if name != "Tensor":
                setattr(torch.cuda, name, value)
