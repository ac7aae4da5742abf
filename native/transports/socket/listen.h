#pragma once
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "transports/socket/connection.h"
#include "transports/socket/handshake.h"
#include "transports/socket/interfaces.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Sets TCP_NODELAY only. The kernel sizes the buffers as well as any fixed size (README.md) and grows them
/// for long links.
void tune_socket(int fd);

using MakeCounters = std::function<std::shared_ptr<ConnectionCounters>()>;

/// Listens on the planned interface's address until one peer that knows the token has connected all its
/// streams. Strangers, silent clients and floods occupy at most kMaxPending handshakes; the oldest is dropped
/// first.
class SocketListenComm final : public ListenComm {
 public:
  /// @param address planned address, port 0
  /// @throws Error(kUnavailable) if it cannot be bound
  SocketListenComm(const SocketAddress& address, std::string token, int streams, MakeCounters make_counters);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  /// Accepts one connection and then closes the listener; a further call throws Error(kInvalidArgument).
  std::unique_ptr<RecvComm> accept() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  void accept_pending();
  /// Streams of the first complete connection; empty = none yet.
  std::vector<FileDescriptor> step_handshakes();

  FileDescriptor listener_;
  std::string token_;
  int streams_;
  MakeCounters make_counters_;
  ConnectHandle handle_{};
  std::list<ServerHandshake> pending_;
  /// streams by connection, indexed by stream number
  std::map<Nonce, std::vector<FileDescriptor>> authenticated_;
};

}  // namespace collbench::socket
