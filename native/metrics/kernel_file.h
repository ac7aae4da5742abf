#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// A file of /proc or /sys kept open; every read() starts at its beginning and reuses one buffer, which grows
/// only while the text does. One thread.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path);
  ~KernelFile();
  KernelFile(KernelFile&& other) noexcept;
  KernelFile& operator=(KernelFile&&) = delete;
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  /// The text now, valid until the next call; nullopt when it cannot be read, see error().
  std::optional<std::string_view> read();
  /// errno of what failed last, opening or reading; 0 = nothing has.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  int fd_;
  int error_ = 0;
  std::string buffer_;
};

/// Names in a folder without "." and "..", sorted; empty when it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// First line of a small file without its newline, "" when it cannot be read.
std::string first_line_of(const std::string& path);

}  // namespace collbench::metrics
