#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"

namespace collbench::metrics {

/// A file of /proc or /sys that the sampler reads again and again. It stays open, and every read() starts at
/// its beginning. The buffer for its text is reused and only grows. Not thread-safe.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path);
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(fd_); }
  /// Reads the file's current text, valid until the next call; nullopt if it cannot be read (reason in
  /// error()).
  std::optional<std::string_view> read();
  /// Returns the errno of the last open or read that failed; 0 = none has failed.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  FileDescriptor fd_;
  int error_ = 0;
  std::string buffer_;
};

/// Returns the names in a folder, sorted, without "." and ".."; empty if the folder cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// Returns the first line of a small file without its newline; "" if it cannot be read.
std::string first_line_of(const std::string& path);

/// Root folders of the kernel's files and name of the NVML library to open. Tests set folders with recorded
/// files and a fake library.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace collbench::metrics
