#pragma once
// Connections between processes without names in the file system: abstract unix sockets. They are visible in
// the whole network namespace and disappear with their process. Peers of another user are refused.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

namespace collbench::softcard {

/// Owner of an open file descriptor, which it closes at its end. Movable.
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

/// Binds and listens, non-blocking. Empty with errno set on failure (EADDRINUSE: the name is in use).
Fd listen_on(const std::string& name);

/// Connects to a listener of the same user. Empty with errno set on failure (ECONNREFUSED: no listener;
/// EPERM: another user).
/// @param owner receives the listener's process id
Fd connect_to(const std::string& name, int timeout_ms, pid_t* owner);

/// Next waiting connection of the same user, non-blocking; empty if there is none. Connections of other users
/// are closed.
/// @param owner receives the connecting process's id
Fd accept_from(int listener, pid_t* owner = nullptr);

/// Sends one message, optionally with a file descriptor. False if the peer has disconnected or the queue is
/// full (errno EAGAIN).
bool send_message(int fd, const void* data, std::size_t bytes, int passed_fd = -1);

/// Receives one message without waiting. @returns its size, 0 at the end of the connection, -1 with errno
/// (EAGAIN: none yet)
ssize_t receive_message(int fd, void* data, std::size_t capacity, Fd* passed_fd = nullptr);

/// Waits until `fd` is readable; false at the timeout. @param timeout_ms -1 = no limit
bool wait_readable(int fd, int timeout_ms);

}  // namespace collbench::softcard
