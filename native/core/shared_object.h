#pragma once
// Vendor libraries as tables of functions: what the tables of this room share.
#include <cstring>
#include <string>

namespace collbench {

/// Opens for the life of the process (vendor libraries own threads). nullptr: `why` has the loader's words.
void* open_shared(const std::string& path, std::string& why);
/// The file behind a handle, links resolved; "" when the loader does not say.
std::string file_of(void* handle);
/// A library of this project: beside the code at `here` (program or plugin), or where build and install trees
/// keep it, in the folder `room`. @throws Error(kUnavailable) with the folder that was searched and `remedy`
std::string find_beside(const void* here, const std::string& file, const std::string& room,
                        const std::string& remedy);
/// As dlsym; nullptr when the library lacks it.
void* symbol_of(void* handle, const char* name);

/// False, and `target` untouched, when the library lacks `symbol`.
template <typename Function>
bool bind(Function& target, void* handle, const char* symbol) {
  void* found = symbol_of(handle, symbol);
  if (found == nullptr) return false;
  static_assert(sizeof target == sizeof found);
  std::memcpy(&target, &found, sizeof found);
  return true;
}

}  // namespace collbench
