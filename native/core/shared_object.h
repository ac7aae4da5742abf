#pragma once
// Helpers for opening vendor libraries at run time and filling tables of their functions.
#include <cstring>
#include <string>

namespace collbench {

/// Opens a shared library with dlopen(); it is never closed, because vendor libraries have threads that
/// continue to run. Returns the handle; null on failure, with the loader's message in `why`.
void* open_shared(const std::string& path, std::string& why);
/// Returns the path of the library that a handle belongs to, with links resolved; "" if the loader does not
/// report it.
std::string file_of(void* handle);
/// Returns the path of a library that is built by this project: the first readable file with its name. Starts
/// at the folder of the program or plugin that contains the address `here`, then at that of this process's
/// program. Of each it searches: the folder itself, its subfolder `room`, ../room, ../../room and ../lib.
/// @param here address of any function or object of the calling program or plugin
/// @param file file name of the library
/// @param room folder in which the build puts the library
/// @throws Error(kUnavailable) with the last folder that was searched and the text `remedy`
std::string find_project_library(const void* here, const std::string& file, const std::string& room,
                                 const std::string& remedy);
/// Returns the address of a symbol like dlsym(); null if the library does not have it.
void* symbol_of(void* handle, const char* name);

/// Sets `target` to the library's function `symbol` and returns true. Returns false and does not change
/// `target` if the library does not have the function.
template <typename Function>
bool bind(Function& target, void* handle, const char* symbol) {
  void* found = symbol_of(handle, symbol);
  if (found == nullptr) return false;
  static_assert(sizeof target == sizeof found);
  std::memcpy(&target, &found, sizeof found);
  return true;
}

}  // namespace collbench
