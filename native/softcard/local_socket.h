#pragma once
// Rendezvous between processes without names in the file system: abstract unix sockets (network namespace
// wide, gone with their process). Peers of another user are refused.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

namespace collbench::softcard {

/// An open file descriptor, closed at the end. Movable.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }
  void reset() noexcept;
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Binds and listens, non-blocking. Empty with errno set (EADDRINUSE: the name is taken).
Fd listen_on(const std::string& name);

/// Connects to a listener of the same user. Empty with errno set (ECONNREFUSED: nobody there; EPERM: another
/// user).
/// @param owner gets the listener's process id
Fd connect_to(const std::string& name, int timeout_ms, pid_t* owner);

/// Next waiting connection of the same user, non-blocking; empty when there is none. Others' are closed.
/// @param owner gets the connecting process's id
Fd accept_from(int listener, pid_t* owner = nullptr);

/// One message, optionally with a file descriptor. False when the peer is gone or the queue is full (errno
/// EAGAIN).
bool send_message(int fd, const void* data, std::size_t bytes, int passed_fd = -1);

/// One message without waiting. @returns its size, 0 at the end of the connection, -1 with errno (EAGAIN:
/// none yet)
ssize_t receive_message(int fd, void* data, std::size_t capacity, Fd* passed_fd = nullptr);

/// Waits until `fd` can be read. @param timeout_ms -1 = for ever. False at the timeout.
bool wait_readable(int fd, int timeout_ms);

}  // namespace collbench::softcard
