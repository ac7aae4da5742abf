#pragma once
// Environment variables and the folders that they name.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace collbench {

/// Returns the value of an environment variable; `otherwise` if it is not set or empty.
inline std::string environment_value(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// Returns the folders listed in an environment variable such as PATH or LD_LIBRARY_PATH, in order. They are
/// separated by colons; empty parts are left out.
std::vector<std::filesystem::path> folders_in(const char* name);

/// True for a regular file or a link to one.
bool is_file(const std::filesystem::path& path);
/// True for a file that this process may execute.
bool is_program(const std::filesystem::path& path);

}  // namespace collbench
