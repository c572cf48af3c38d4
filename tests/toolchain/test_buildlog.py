from __future__ import annotations

import pytest

from flybisect.toolchain.buildlog import lacks, last_errors, no_network

COMPILE = """\
[3/9] Building CXX object lib/Fly.cpp.o
FAILED: lib/Fly.cpp.o
/src/lib/Fly.cpp:12:3: error: 'foo' was not declared in this scope
/src/lib/Fly.cpp:13:3: error: expected ';' before '}' token
ninja: build stopped: subcommand failed.
"""
CONFIGURE = """\
CMake Error at lib/Runtime/ROCm/CMakeLists.txt:8 (find_package):
  Could not find a package configuration file provided by "hip" with any of
  the following names:

    hipConfig.cmake
-- Configuring incomplete, errors occurred!
"""
BROKEN = """\
CMake Error at /usr/lib/x86_64-linux-gnu/cmake/hip/hip-config.cmake:42 (message):
  File or directory /usr/bin/hipcc referenced by variable
  hip_HIPCC_EXECUTABLE does not exist !
Call Stack (most recent call first):
  lib/Runtime/ROCm/CMakeLists.txt:8 (find_package)
"""
VERSION = """\
CMake Error at /opt/mlir/lib/cmake/mlir/MLIRDetectPythonEnv.cmake:79 (find_package):
  Could not find a configuration file for package "nanobind" that is
  compatible with requested version "2.9".

  The following configuration files were considered but not accepted:
"""
IN_THE_TREE = """\
CMake Error at cmake/FlyConfig.cmake:3 (message):
  FLYDSL_BACKENDS is empty
"""


def test_the_last_errors_are_quoted_without_what_only_reports_them() -> None:
    said = last_errors(COMPILE)
    assert said == (
        "/src/lib/Fly.cpp:12:3: error: 'foo' was not declared in this scope; "
        "/src/lib/Fly.cpp:13:3: error: expected ';' before '}' token"
    )


def test_cmake_says_what_is_wrong_in_the_next_line() -> None:
    assert 'provided by "hip"' in last_errors(CONFIGURE)


def test_without_an_error_the_last_line_is_quoted() -> None:
    assert last_errors("one\ntwo\n\n") == "two"
    assert last_errors("") == "it printed nothing"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (CONFIGURE, "HIP's CMake package"),
        (
            BROKEN,
            "package hip does not work (/usr/lib/x86_64-linux-gnu/cmake/hip/hip-config.cmake: File or dir",
        ),
        (
            BROKEN,
            "hip_HIPCC_EXECUTABLE does not exist !); install ROCm's, or `apt install libamdhip64-dev hipcc`",
        ),
        (VERSION, "MLIR asks for nanobind 2.9: `pip install 'nanobind>=2.9,<3'`"),
        (VERSION.replace("nanobind", "zstd"), "zstd is installed, but no version of it satisfies 2.9"),
        ("scripts/build.sh: line 3: patchelf: command not found", "patchelf is missing"),
        ("/bin/sh: 1: cmake: not found", "cmake is missing"),
        ("as: cannot write x.o: No space left on device", "disk is full"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "ran out of memory"),
        ("No CMAKE_CXX_COMPILER could be found.", "no C++ compiler"),
    ],
)
def test_what_the_machine_lacks(output: str, expected: str) -> None:
    assert expected in (lacks(output) or "")


def test_an_error_of_the_commit_is_not_the_machines() -> None:
    assert lacks(COMPILE) is None
    assert lacks(IN_THE_TREE) is None
    assert lacks("FlyOps.td:3: error: Variable not defined: 'x'") is None


def test_network() -> None:
    assert no_network("fatal: unable to access 'https://github.com/': Could not resolve host: github.com")
    assert not no_network(COMPILE)
