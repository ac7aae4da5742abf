#include "core/environment.h"

#include <unistd.h>

#include "core/text.h"

namespace collbench {

std::vector<std::filesystem::path> folders_in(const char* name) {
  std::vector<std::filesystem::path> folders;
  const std::string value = environment_value(name);
  for (const std::string_view part : split(value, ':'))
    if (!part.empty()) folders.emplace_back(part);
  return folders;
}

bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}

bool is_program(const std::filesystem::path& path) {
  return is_file(path) && access(path.c_str(), X_OK) == 0;
}

}  // namespace collbench
