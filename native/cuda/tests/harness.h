#pragma once
// Helpers for tests of this room and of GPU engines: a temporary folder, environment variables that are
// restored, the text of an error.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "core/error.h"

namespace collbench::cuda_tests {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "collbench-nccl-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = std::filesystem::canonical(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Writes a file and makes its folders.
  std::string file(const std::string& name, const std::string& text = "") const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::filesystem::create_symlink(target, path_ / name);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Sets variables ("" = unset) and restores the old values at its end.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& wanted) {
    for (const auto& [name, value] : wanted) {
      const char* old = getenv(name.c_str());
      old_[name] = old != nullptr ? std::optional<std::string>(old) : std::nullopt;
      put(name, value.empty() ? std::nullopt : std::optional(value));
    }
  }
  ~Variables() {
    for (const auto& [name, value] : old_) put(name, value);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  static void put(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> old_;
};

template <typename Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error_code_name(error.code())) + ": " + error.what();
  }
  return "nothing was refused";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Variables with which only the loader, /usr/local/cuda* and /usr/include are searched.
inline std::map<std::string, std::string> bare(std::map<std::string, std::string> wanted) {
  for (const char* name : {"NCCL_HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PATH", "HOME", "CUDA_HOME",
                           "CUDA_PATH", "NVCC_CCBIN", "NVSHMEM_HOME", "NVSHMEM_PREFIX"})
    wanted.emplace(name, "");
  return wanted;
}

}  // namespace collbench::cuda_tests
