import ctypes
from pathlib import Path

__version__ = "0.9.0"


def describe():
    """What was compiled in, as the native half tells it."""
    library = ctypes.CDLL(str(Path(__file__).parent / "_mlir/_mlir_libs/_mlirDialectsFly.so"))
    library.fly_describe.restype = ctypes.c_char_p
    return library.fly_describe().decode()
