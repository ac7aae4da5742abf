#pragma once
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace collbench::socket {

/// IPv4 or IPv6 address with port, as connect() and bind() take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;  // 0 = none

  [[nodiscard]] int family() const noexcept { return storage.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  /// Returns the IP address as text: "127.0.0.1" or "::1".
  [[nodiscard]] std::string host_text() const;
  /// Returns IP address and port as text: "127.0.0.1:4711" or "[::1]:4711".
  [[nodiscard]] std::string text() const;
  /// True if both have the same IP address; ports are not compared.
  [[nodiscard]] bool same_host(const SocketAddress& other) const noexcept;

  /// Returns the local address of a connected or bound socket; length 0 if the kernel knows none.
  static SocketAddress local_of(int fd) noexcept;
  /// Returns the address of the peer of a connected socket; length 0 if the kernel knows none.
  static SocketAddress peer_of(int fd) noexcept;
};

/// Owns one file descriptor and closes it when destroyed; -1 = owns none.
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
  /// Returns the descriptor, which the caller then owns and must close.
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes the descriptor now.
  void reset() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace collbench::socket
