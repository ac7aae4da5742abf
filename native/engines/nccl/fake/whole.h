#pragma once
// Whole messages over sockets that do not block, between looks at whether the caller gave up.
#include <atomic>
#include <cstddef>

#include "engines/nccl/fake/mesh.h"

namespace collbench::nccl_fake {

/// The last call failed only because there is nothing to do now.
bool would_block();
/// Waits until `fd` has `events`, or for a moment. False when aborted.
bool wait_for(int fd, short events, const std::atomic<bool>& aborted);
/// Connects a socket, again while nobody listens there yet (abstract sockets only).
Exchanged connect_whole(int fd, const void* address, unsigned length, const std::atomic<bool>& aborted);
Exchanged send_whole(int fd, const void* data, std::size_t bytes, const std::atomic<bool>& aborted);
Exchanged receive_whole(int fd, void* data, std::size_t bytes, const std::atomic<bool>& aborted);

}  // namespace collbench::nccl_fake
