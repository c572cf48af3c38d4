"""torch on a machine without a GPU: a script that allocates on `cuda` gets CPU tensors and goes on.

FlyDSL only looks at a tensor's shape, strides and type while it compiles, and nothing is run.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from . import cudamodule, randoms


def install() -> None:
    """For this process and those that it forks, for good; `as_arch` is wanted, too."""
    torch = importlib.import_module("torch")
    _mode_class(torch)().__enter__()
    _replace_default_device(torch)
    _replace_generator(torch)
    _replace_load(torch)
    # The mode sees a call whose arguments torch could read; a stream that stands in is not one.
    torch.Tensor.record_stream = lambda self, stream: None
    cudamodule.replace(torch)
    if torch.version.hip is None:
        # Any ROCm: scripts ask whether there is one.
        torch.version.hip = "6.4"


def as_arch(arch: str) -> None:
    """The GPU that scripts are told of."""
    cudamodule.tell(importlib.import_module("torch").cuda, arch)


def to_cpu(value: Any, torch: Any) -> Any:
    """`value` with a cuda device, in whichever form, turned into the CPU."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    if isinstance(value, str) and value.startswith("torch.cuda."):
        return value.replace(".cuda", "")
    return value


def _mode_class(torch: Any) -> Any:
    overrides = importlib.import_module("torch.overrides")
    tensor = torch.Tensor
    returns_self = {tensor.cuda, tensor.pin_memory}
    answers = {
        tensor.is_cuda.__get__: True,
        tensor.get_device: 0,
        tensor.device.__get__: torch.device("cuda", 0),
    }
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
                if not str(device).startswith("cpu"):
                    drawn = randoms.quick(torch, func, args, named)
                    if drawn is not None:
                        return drawn
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


def _replace_load(torch: Any) -> None:
    """Files of tensors that lay on a GPU are read onto the CPU."""
    original = torch.load

    @functools.wraps(original)
    def load(file: Any, map_location: Any = None, *arguments: Any, **named: Any) -> Any:
        return original(file, map_location if callable(map_location) else "cpu", *arguments, **named)

    torch.load = load
