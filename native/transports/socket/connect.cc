#include "transports/socket/connect.h"

#include <netinet/in.h>

#include "transports/socket/send_comm.h"

namespace collbench::socket {
namespace {

/// Maximum number of attempts to connect one stream. A listener that is flooded with connections may drop an
/// attempt, whether ours or a stranger's.
constexpr int kAttempts = 50;

}  // namespace

PlannedPeer read_handle(const ConnectHandle& handle, unsigned interface_index) {
  WireHandle wire;
  std::memcpy(&wire, handle.data(), sizeof wire);
  const bool known_family = wire.family == AF_INET || wire.family == AF_INET6;
  if (wire.magic != kWireMagic || wire.version != kWireVersion || !known_family || wire.streams < 1 ||
      wire.streams > kMaxStreams)
    throw Error(ErrorCode::kProtocol,
                "socket: the peer's connect handle is none of this transport and version");
  PlannedPeer peer;
  peer.streams = wire.streams;
  peer.address.storage.ss_family = wire.family;
  if (wire.family == AF_INET) {
    peer.address.length = sizeof(sockaddr_in);
    std::memcpy(&reinterpret_cast<sockaddr_in&>(peer.address.storage).sin_addr, wire.address, 4);
  } else {
    auto& ipv6 = reinterpret_cast<sockaddr_in6&>(peer.address.storage);
    peer.address.length = sizeof(sockaddr_in6);
    std::memcpy(&ipv6.sin6_addr, wire.address, 16);
    if (IN6_IS_ADDR_LINKLOCAL(&ipv6.sin6_addr)) ipv6.sin6_scope_id = interface_index;
  }
  peer.address.set_port(wire.port);
  return peer;
}

SocketConnecting::SocketConnecting(const PlannedInterface& from, PlannedPeer peer, std::string token,
                                   int buffer_bytes, std::shared_ptr<CounterTable> counter_table)
    : from_(from.address),
      peer_(std::move(peer)),
      token_(std::move(token)),
      buffer_bytes_(buffer_bytes),
      counter_table_(std::move(counter_table)) {
  if (from_.family() != peer_.address.family())
    throw Error(ErrorCode::kInvalidArgument, "socket: cannot connect from " + from_.host_text() + " to " +
                                                 peer_.address.text() + ": one is IPv4, the other IPv6");
  for (int i = 0; i < peer_.streams; ++i) streams_.push_back({start(i), kAttempts});
}

ClientHandshake SocketConnecting::start(int stream) const {
  FileDescriptor fd(::socket(from_.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) throw system_error(ErrorCode::kUnavailable, "socket: no TCP socket", errno);
  tune_socket(fd.get(), buffer_bytes_);
  const int on = 1;  // lets connect() choose the port, so that connections to different peers may share one
  setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (::bind(fd.get(), from_.data(), from_.length) != 0)
    throw system_error(ErrorCode::kUnavailable, "socket: cannot bind to " + from_.host_text(), errno);
  if (::connect(fd.get(), peer_.address.data(), peer_.address.length) != 0 && errno != EINPROGRESS)
    throw system_error(ErrorCode::kConnectionLost, "socket: cannot connect to " + peer_.address.text(),
                       errno);
  return ClientHandshake(std::move(fd), connection_, stream, peer_.streams);
}

void SocketConnecting::add_to_poll(std::vector<pollfd>& set) const {
  for (const StreamAttempt& attempt : streams_)
    if (!attempt.connected) set.push_back(attempt.handshake.poll_entry());
}

std::unique_ptr<SendComm> SocketConnecting::poll() {
  bool complete = true;
  for (int i = 0; i < peer_.streams; ++i) {
    StreamAttempt& attempt = streams_[static_cast<std::size_t>(i)];
    if (attempt.connected) continue;
    const auto outcome = attempt.handshake.step(token_, peer_.address);
    attempt.connected = outcome == ClientHandshake::Outcome::kConnected;
    if (attempt.connected) continue;
    complete = false;
    if (outcome == ClientHandshake::Outcome::kPending) continue;
    if (--attempt.attempts_left == 0)
      throw Error(ErrorCode::kConnectionLost, "socket: " + peer_.address.text() + " closed " +
                                                  std::to_string(kAttempts) +
                                                  " connections before the handshake");
    attempt.handshake = start(i);
  }
  if (!complete) return nullptr;
  std::vector<FileDescriptor> streams;
  for (StreamAttempt& attempt : streams_) streams.push_back(attempt.handshake.take());
  return std::make_unique<SocketSendComm>(
      Connection{std::move(streams), peer_.address.text(), counters_of(counter_table_, true)});
}

}  // namespace collbench::socket
