#include "engines/nccl/fake/whole.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace collbench::nccl_fake {
namespace {

/// How often a wait looks whether it was aborted.
constexpr int kLookMs = 5;

}  // namespace

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

bool wait_for(int fd, short events, const std::atomic<bool>& aborted) {
  pollfd entry{fd, events, 0};
  poll(&entry, 1, kLookMs);
  return !aborted;
}

Exchanged connect_whole(int fd, const void* address, unsigned length, const std::atomic<bool>& aborted) {
  const auto* to = static_cast<const sockaddr*>(address);
  while (connect(fd, to, length) != 0) {
    if (aborted) return Exchanged::kAborted;
    if (errno == EINPROGRESS || errno == EALREADY) {
      // Its end is told by another connect(): EISCONN, or the reason.
      if (!wait_for(fd, POLLOUT, aborted)) return Exchanged::kAborted;
      continue;
    }
    if (errno == EISCONN) break;
    const bool is_tcp = to->sa_family != AF_UNIX;
    if (is_tcp || (errno != ECONNREFUSED && !would_block())) return Exchanged::kPeerLost;
    poll(nullptr, 0, 1);  // not there yet
  }
  return Exchanged::kDone;
}

Exchanged send_whole(int fd, const void* data, std::size_t bytes, const std::atomic<bool>& aborted) {
  const auto* at = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) return Exchanged::kPeerLost;
    if (sent < 0 && !wait_for(fd, POLLOUT, aborted)) return Exchanged::kAborted;
    if (sent > 0) at += sent, bytes -= static_cast<std::size_t>(sent);
  }
  return Exchanged::kDone;
}

Exchanged receive_whole(int fd, void* data, std::size_t bytes, const std::atomic<bool>& aborted) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = recv(fd, at, bytes, 0);
    if (got == 0 || (got < 0 && !would_block())) return Exchanged::kPeerLost;
    if (got < 0 && !wait_for(fd, POLLIN, aborted)) return Exchanged::kAborted;
    if (got > 0) at += got, bytes -= static_cast<std::size_t>(got);
  }
  return Exchanged::kDone;
}

}  // namespace collbench::nccl_fake
