#!/bin/bash
# A small project that is built as FlyDSL is: same variables, same steps, same places.
set -e
REPO_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
BUILD_DIR="${FLY_BUILD_DIR:-${REPO_ROOT}/build-fly}"
JOBS=1
for arg in "$@"; do [[ "$arg" =~ ^-j([0-9]+)$ ]] && JOBS="${BASH_REMATCH[1]}"; done
if [ -z "${MLIR_PATH:-}" ]; then
  echo "Error: MLIR_PATH not set and could not be auto-detected." >&2
  exit 1
fi
GENERATOR="Unix Makefiles"
if [ -f "${BUILD_DIR}/CMakeCache.txt" ]; then
  GENERATOR=$(awk '/^CMAKE_GENERATOR:INTERNAL=/{sub(/^CMAKE_GENERATOR:INTERNAL=/, ""); print; exit}' "${BUILD_DIR}/CMakeCache.txt")
elif command -v ninja &> /dev/null; then
  GENERATOR="Ninja"
fi
if [ ! -f "${REPO_ROOT}/thirdparty/dlpack/include/dlpack/dlpack.h" ]; then
  echo "Initializing git submodules..."
  git -C "${REPO_ROOT}" submodule update --init --recursive
fi
mkdir -p "${BUILD_DIR}"
cd "${BUILD_DIR}"
echo "Configuring for $(python3 -c 'import sys; print(sys.executable)')"
cmake -G "${GENERATOR}" "${REPO_ROOT}" -DMLIR_DIR="${MLIR_PATH}/lib/cmake/mlir"
cmake --build . -j"${JOBS}"
