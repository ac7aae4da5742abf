#pragma once
// Connections between processes without names in the file system: abstract unix sockets. They are visible in
// the whole network namespace and disappear with their process. Peers of another user are refused.
#include <sys/types.h>

#include <string>

#include "core/file_descriptor.h"

namespace collbench::ipc {

/// Makes a non-blocking listening socket with this name. Empty with errno set on failure (EADDRINUSE: the
/// name is in use).
FileDescriptor listen_on(const std::string& name);

/// Connects to the socket with this name, whose process must belong to the same user. Empty with errno set on
/// failure (ECONNREFUSED: no such socket; EPERM: another user).
/// @param owner receives the process id of the listener
FileDescriptor connect_to(const std::string& name, int timeout_ms, pid_t* owner);

/// Accepts the next waiting connection from a process of the same user, without waiting; empty if there is
/// none. Connections from other users are closed.
/// @param owner receives the process id of the connecting process; may be nullptr
FileDescriptor accept_from(int listener, pid_t* owner = nullptr);

/// Sends one message without waiting.
/// @param passed_fd file descriptor to pass with it, -1 = none
/// @returns false if the peer has disconnected, or if the socket's queue is full (errno EAGAIN)
bool send_message(int fd, const void* data, std::size_t bytes, int passed_fd = -1);

/// Receives one message without waiting.
/// @param passed_fd receives a file descriptor that came with it; nullptr = not wanted
/// @returns the message's size; 0 if the peer has disconnected; -1 with errno on failure (EAGAIN: no message
/// yet)
ssize_t receive_message(int fd, void* data, std::size_t capacity, FileDescriptor* passed_fd = nullptr);

/// Waits until `fd` is readable.
/// @param timeout_ms time limit in milliseconds; -1 = none
/// @returns false if the time limit ended first
bool wait_readable(int fd, int timeout_ms);

}  // namespace collbench::ipc
