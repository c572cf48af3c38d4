# A segmentation fault, which prints nothing.
import ctypes

ctypes.string_at(0)
