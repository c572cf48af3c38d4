#include "dlpack/dlpack.h"
#include "fly/fly.h"
#include <string>

const char *llvm_commit();

std::string describe() {
  return std::string(ANSWER) + " llvm:" + llvm_commit() + " dlpack:" + DLPACK_VERSION + " " + FLAVOUR + " " +
         BUILD_TYPE;
}
