#include "transports/socket/listen.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <utility>

#include "core/log.h"
#include "transports/socket/recv_comm.h"

namespace collbench::socket {
namespace {

constexpr std::size_t kMaxPending = 64;
/// Maximum number of TCP connections that one call of accept() takes, so that a flood of connections cannot
/// delay the caller.
constexpr int kMaxNewcomers = 16;

ConnectHandle make_handle(const SocketAddress& address, int streams) {
  WireHandle wire;
  wire.family = static_cast<std::uint16_t>(address.family());
  wire.port = address.port();
  wire.streams = static_cast<std::uint16_t>(streams);
  if (address.family() == AF_INET)
    std::memcpy(wire.address, &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, 4);
  else
    std::memcpy(wire.address, &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, 16);
  ConnectHandle handle{};
  std::memcpy(handle.data(), &wire, sizeof wire);
  return handle;
}

}  // namespace

void tune_socket(int fd, int buffer_bytes) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (buffer_bytes == 0) return;
  for (const auto& [buffer, beyond_limit] :
       {std::pair{SO_SNDBUF, SO_SNDBUFFORCE}, std::pair{SO_RCVBUF, SO_RCVBUFFORCE}}) {
    // Root may exceed the limit.
    if (setsockopt(fd, SOL_SOCKET, beyond_limit, &buffer_bytes, sizeof buffer_bytes) != 0)
      setsockopt(fd, SOL_SOCKET, buffer, &buffer_bytes, sizeof buffer_bytes);
    // The kernel reports twice the size, for its own data, and silently cuts what exceeds its limit.
    int granted = 0;
    socklen_t length = sizeof granted;
    getsockopt(fd, SOL_SOCKET, buffer, &granted, &length);
    if (granted / 2 < buffer_bytes)
      throw Error(ErrorCode::kUnavailable,
                  "socket: the kernel allows buffers of " + std::to_string(granted / 2) + " B, not " +
                      std::to_string(buffer_bytes) + "; the limits are net.core.wmem_max and rmem_max");
  }
}

SocketListenComm::SocketListenComm(const SocketAddress& address, std::string token, int streams,
                                   int buffer_bytes, std::shared_ptr<CounterTable> counter_table)
    : listener_(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      token_(std::move(token)),
      streams_(streams),
      buffer_bytes_(buffer_bytes),
      counter_table_(std::move(counter_table)) {
  if (!listener_) throw system_error(ErrorCode::kUnavailable, "socket: no TCP socket", errno);
  // Accepted sockets inherit the buffer sizes. They must be known before the handshake, which fixes the scale
  // of the TCP window.
  tune_socket(listener_.get(), buffer_bytes_);
  if (::bind(listener_.get(), address.data(), address.length) != 0 ||
      ::listen(listener_.get(), SOMAXCONN) != 0)
    throw system_error(ErrorCode::kUnavailable, "socket: cannot listen on " + address.host_text(), errno);
  handle_ = make_handle(SocketAddress::local_of(listener_.get()), streams);
}

std::unique_ptr<RecvComm> SocketListenComm::accept() {
  if (!listener_)
    throw Error(ErrorCode::kInvalidArgument, "socket: this listener has accepted its connection");
  accept_pending();
  std::vector<FileDescriptor> streams = step_handshakes();
  if (streams.empty()) return nullptr;
  listener_.reset();
  pending_.clear();
  authenticated_.clear();
  std::string peer = SocketAddress::peer_of(streams.front().get()).text();
  return std::make_unique<SocketRecvComm>(
      Connection{std::move(streams), std::move(peer), counters_of(counter_table_, false)});
}

void SocketListenComm::add_to_poll(std::vector<pollfd>& set) const {
  set.push_back({listener_.get(), POLLIN, 0});
  for (const ServerHandshake& one : pending_) set.push_back(one.poll_entry());
}

void SocketListenComm::accept_pending() {
  for (int i = 0; i < kMaxNewcomers; ++i) {
    FileDescriptor fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      const bool crowded = errno == EMFILE || errno == ENFILE;
      if (crowded && !pending_.empty()) {
        pending_.pop_front();
        continue;
      }
      if (crowded) throw system_error(ErrorCode::kUnavailable, "socket: accept", errno);
      return;
    }
    tune_socket(fd.get(), buffer_bytes_);
    if (pending_.size() == kMaxPending) pending_.pop_front();
    pending_.emplace_back(std::move(fd));
  }
}

std::vector<FileDescriptor> SocketListenComm::step_handshakes() {
  for (auto it = pending_.begin(); it != pending_.end();) {
    const auto outcome = it->step(token_, streams_);
    if (outcome == ServerHandshake::Outcome::kPending) {
      ++it;
      continue;
    }
    if (outcome == ServerHandshake::Outcome::kAccepted) {
      auto& streams = authenticated_[it->proof().connection];
      streams.resize(static_cast<std::size_t>(streams_));
      streams[it->proof().stream] = it->take();
      const auto here = [](const FileDescriptor& fd) { return static_cast<bool>(fd); };
      if (std::all_of(streams.begin(), streams.end(), here)) return std::move(streams);
    } else {
      log(LogLevel::kInfo, "socket: dropped a connection that did not prove to belong to this run");
    }
    it = pending_.erase(it);
  }
  return {};
}

}  // namespace collbench::socket
