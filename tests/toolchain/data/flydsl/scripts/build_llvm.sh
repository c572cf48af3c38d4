#!/bin/bash
# "LLVM": one static library that knows its own hash, fetched, built and installed where FlyDSL's script does.
set -e
REPO_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
SRC="$(cd "${REPO_ROOT}/.." && pwd)/llvm-project"
INSTALL="${LLVM_INSTALL_DIR:-$SRC/mlir_install}"
TGZ="${LLVM_INSTALL_TGZ:-$SRC/mlir_install.tgz}"
HASH=$(tr -d '[:space:]' < "${REPO_ROOT}/thirdparty/llvm-hash.txt")
echo "LLVM Commit: ${HASH}"
if [ ! -d "$SRC" ]; then
  git init --quiet "$SRC"
fi
case "$HASH" in
  dead*) echo "fatal: unable to access 'https://llvm.invalid/': Could not resolve host: llvm.invalid" >&2; exit 128 ;;
esac
mkdir -p "$SRC/llvm"
[ -f "$SRC/llvm/CMakeLists.txt" ] || cat > "$SRC/llvm/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(LLVM LANGUAGES CXX)
add_library(LLVMCore STATIC core.cpp)
set_target_properties(LLVMCore PROPERTIES POSITION_INDEPENDENT_CODE ON)
install(TARGETS LLVMCore EXPORT MLIR ARCHIVE DESTINATION lib)
install(EXPORT MLIR FILE MLIRConfig.cmake DESTINATION lib/cmake/mlir)
CMAKE
[ -f "$SRC/llvm/core.cpp" ] || echo "const char *llvm_commit() { return \"${HASH}\"; }" > "$SRC/llvm/core.cpp"
GENERATOR="Unix Makefiles"
if command -v ninja &> /dev/null; then
  GENERATOR="Ninja"
fi
cmake -G "$GENERATOR" -S "$SRC/llvm" -B "$SRC/build-flydsl" -DCMAKE_BUILD_TYPE=Release
cmake --build "$SRC/build-flydsl"
rm -rf "$INSTALL"
mkdir -p "$INSTALL"
cmake --install "$SRC/build-flydsl" --prefix "$INSTALL"
mkdir -p "$INSTALL/include/llvm/Support"
echo "#define LLVM_REVISION \"${HASH}\"" > "$INSTALL/include/llvm/Support/VCSRevision.h"
tar -C "$(dirname "$INSTALL")" -czf "$TGZ" "$(basename "$INSTALL")"
