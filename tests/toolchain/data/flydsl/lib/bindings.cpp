#include <string>

std::string describe();

extern "C" const char *fly_describe() {
  static std::string text = describe();
  return text.c_str();
}
