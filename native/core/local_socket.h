#pragma once
// Connections between processes without names in the file system: abstract unix sockets. They are visible in
// the whole network namespace and disappear with their process. Peers of another user are refused.
#include <sys/types.h>

#include <string>

#include "core/file_descriptor.h"

namespace collbench::ipc {

/// Makes a non-blocking listening socket with this name, of which at most 107 bytes count. Empty with errno
/// set on failure (EADDRINUSE: the name is in use).
FileDescriptor listen_on(const std::string& name);

/// Connects to the socket with this name, whose process must belong to the same user. The connection does not
/// block. Empty with errno set on failure (ECONNREFUSED: no such socket; EPERM: another user).
/// @param timeout_ms limit of the wait if the listener's queue of connections is full
/// @param owner receives the process id of the listener; may be nullptr
FileDescriptor connect_to(const std::string& name, int timeout_ms, pid_t* owner);

/// Accepts the next waiting connection from a process of the same user, without waiting. Connections from
/// other users are closed. Empty with errno set if there is none (EAGAIN) or on failure.
/// @param owner receives the process id of the connecting process; may be nullptr
FileDescriptor accept_from(int listener, pid_t* owner = nullptr);

/// Sends one message whole or not at all, without waiting.
/// @param passed_fd file descriptor to pass with it, -1 = none; the caller's own stays open
/// @returns false with errno on failure: the peer has disconnected, or the socket's queue is full (EAGAIN)
bool send_message(int fd, const void* data, std::size_t bytes, int passed_fd = -1);

/// Receives one message without waiting. A message longer than `capacity` is cut.
/// @param passed_fd receives a file descriptor that came with it, else is unchanged; nullptr = not wanted, it
/// is closed
/// @returns the message's size; 0 if the peer has disconnected; -1 with errno on failure (EAGAIN: no message
/// yet)
ssize_t receive_message(int fd, void* data, std::size_t capacity, FileDescriptor* passed_fd = nullptr);

/// Waits until a read from `fd` does not block: data, the end of the connection, or an error.
/// @param timeout_ms time limit in milliseconds; -1 = none
/// @returns false if the time limit ended first or poll() failed
bool wait_readable(int fd, int timeout_ms);

}  // namespace collbench::ipc
