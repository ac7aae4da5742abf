#pragma once
// Lines over a file descriptor without ever blocking: what the other side has not taken yet waits in memory.
#include <cstddef>
#include <functional>
#include <string>

namespace collbench::agent {

/// A file descriptor that is closed with its owner.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept;
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

class LineReader {
 public:
  /// Longest line kept; a longer one is a fault of the other side (samples of a block are far below).
  static constexpr std::size_t kLongestLine = std::size_t{256} << 20;

  /// Reads what is there and calls `use` with each complete line, without its newline. Works on non-blocking
  /// and on blocking descriptors that poll() has announced (one read).
  /// @returns false at the end of the stream (or a read error); an unfinished last line is handed over first
  /// @throws Error(kProtocol) past kLongestLine
  bool read_some(int fd, const std::function<void(const std::string&)>& use);
  /// read_some until nothing is there; only for non-blocking descriptors.
  bool drain(int fd, const std::function<void(const std::string&)>& use);

 private:
  enum class Got { kData, kNothing, kEnd };
  Got read_once(int fd, const std::function<void(const std::string&)>& use);
  std::string pending_;
};

class LineWriter {
 public:
  /// @returns false when the other side is gone
  bool write(int fd, const std::string& line);
  bool flush(int fd);
  [[nodiscard]] bool waiting() const noexcept { return sent_ < queue_.size(); }

 private:
  std::string queue_;
  std::size_t sent_ = 0;
};

void set_non_blocking(int fd) noexcept;

}  // namespace collbench::agent
