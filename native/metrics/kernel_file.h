#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// A file of /proc or /sys kept open. Every read() starts at the beginning and reuses one buffer, which only
/// grows. For one thread.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path);
  ~KernelFile();
  KernelFile(KernelFile&& other) noexcept;
  KernelFile& operator=(KernelFile&&) = delete;
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  /// Current text, valid until the next call; nullopt if it cannot be read, see error().
  std::optional<std::string_view> read();
  /// errno of the last failed open or read; 0 = none has failed.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  int fd_;
  int error_ = 0;
  std::string buffer_;
};

/// Sorted names in a folder without "." and ".."; empty if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// First line of a small file without its newline; "" if it cannot be read.
std::string first_line_of(const std::string& path);

}  // namespace collbench::metrics
