#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace collbench {

/// A regular file mapped into memory for reading. Accesses by offset are checked against the file's length,
/// because the content may be damaged or not trusted.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Returns why the file could not be mapped; "" = it is mapped.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// Returns the whole content; empty if the file is not mapped.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Returns the text from `offset` to the next zero byte or the end of the file; empty if the file ends
  /// before.
  [[nodiscard]] std::string_view text_at(std::uint64_t offset) const noexcept;
  /// Copies the bytes at `offset` to `value`. Returns false if the file ends before or within them.
  template <typename T>
  bool get(std::uint64_t offset, T& value) const noexcept {
    if (offset > text_.size() || text_.size() - offset < sizeof value) return false;
    std::memcpy(&value, text_.data() + offset, sizeof value);
    return true;
  }

 private:
  std::string_view text_;
  std::string problem_;
};

}  // namespace collbench
