#pragma once
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace collbench::socket {

/// IPv4 or IPv6 address with port, in the form of the socket calls.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;  // 0 = none

  [[nodiscard]] int family() const noexcept { return storage.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  /// Host part: "127.0.0.1" or "::1".
  [[nodiscard]] std::string host_text() const;
  /// Host and port: "127.0.0.1:4711" or "[::1]:4711".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool same_host(const SocketAddress& other) const noexcept;

  /// Local or remote address of a socket; empty if the kernel knows none.
  static SocketAddress local_of(int fd) noexcept;
  static SocketAddress peer_of(int fd) noexcept;
};

/// Owner of one file descriptor: closes it at its end.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }
  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Returns the descriptor and gives up ownership.
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace collbench::socket
