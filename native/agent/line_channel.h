#pragma once
// Reading and writing lines over file descriptors without blocking. Output that the other side has not taken
// yet is kept in memory.
#include <cstddef>
#include <functional>
#include <string>

#include "core/file_descriptor.h"

namespace collbench::agent {

class LineReader {
 public:
  /// Maximum length of a line in bytes. Real messages are far shorter, so a longer line is an error of the
  /// sender.
  static constexpr std::size_t kLongestLine = std::size_t{256} << 20;

  /// Reads the available bytes, at most 64 KiB, and calls `use` with each complete line, without its newline.
  /// The descriptor is non-blocking, or blocking and reported ready by poll() (then one read is made).
  /// @returns false at the end of the stream or after a read error; before that, an incomplete last line is
  /// passed to `use`
  /// @throws Error(kProtocol) for a line longer than kLongestLine
  bool read_some(int fd, const std::function<void(const std::string&)>& use);
  /// Calls read_some() until nothing is available; same result. Only for non-blocking descriptors.
  bool drain(int fd, const std::function<void(const std::string&)>& use);

 private:
  enum class ReadStatus { kData, kNothing, kEnd };
  ReadStatus read_once(int fd, const std::function<void(const std::string&)>& use);
  std::string pending_;
};

class LineWriter {
 public:
  /// Writes a line, which has its newline already. Bytes that the descriptor does not accept are queued.
  /// @returns false if the receiver has closed its end
  bool write(int fd, const std::string& line);
  bool flush(int fd);
  [[nodiscard]] bool waiting() const noexcept { return sent_ < queue_.size(); }

 private:
  std::string queue_;
  std::size_t sent_ = 0;
};

void set_non_blocking(int fd) noexcept;

}  // namespace collbench::agent
