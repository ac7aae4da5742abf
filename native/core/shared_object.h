#pragma once
// Helpers for opening vendor libraries at run time and filling tables of their functions.
#include <cstring>
#include <string>

namespace collbench {

/// Opens the library and never closes it, because vendor libraries own threads. Returns nullptr on failure
/// and sets `why` to the loader's message.
void* open_shared(const std::string& path, std::string& why);
/// Returns the path of the library behind a handle, with links resolved; "" if the loader does not know it.
std::string file_of(void* handle);
/// Returns the path of one of this project's libraries. Searches the folder of the program or plugin that
/// contains the address `here`, then the folder `room` of the build and install trees.
/// @throws Error(kUnavailable) with the folder that was searched and `remedy`
std::string find_project_library(const void* here, const std::string& file, const std::string& room,
                                 const std::string& remedy);
/// Same as dlsym(); nullptr if the library lacks the symbol.
void* symbol_of(void* handle, const char* name);

/// Sets `target` to the function `symbol`. Returns false and leaves `target` unchanged if the library lacks
/// it.
template <typename Function>
bool bind(Function& target, void* handle, const char* symbol) {
  void* found = symbol_of(handle, symbol);
  if (found == nullptr) return false;
  static_assert(sizeof target == sizeof found);
  std::memcpy(&target, &found, sizeof found);
  return true;
}

}  // namespace collbench
