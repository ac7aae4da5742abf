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

/// TCP_NODELAY only: the kernel sizes the buffers as well as any fixed size does (README.md), and grows them
/// for long links.
void tune_socket(int fd);

using MakeCounters = std::function<std::shared_ptr<ConnectionCounters>()>;

/// Listens on the planned interface's address until one peer that knows the token has connected all its
/// streams. Strangers, silent clients and floods only ever cost a place among kMaxPending handshakes, the
/// oldest first.
class SocketListenComm final : public ListenComm {
 public:
  /// @param address planned address, port 0  @throws Error(kUnavailable) when it cannot be bound
  SocketListenComm(const SocketAddress& address, std::string token, int streams, MakeCounters make_counters);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  /// The listener is closed once this has yielded; a further call throws Error(kInvalidArgument).
  std::unique_ptr<RecvComm> accept() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  void take_newcomers();
  /// Streams of the first connection that is complete; empty = none yet.
  std::vector<FileDescriptor> step_handshakes();

  FileDescriptor listener_;
  std::string token_;
  int streams_;
  MakeCounters make_counters_;
  ConnectHandle handle_{};
  std::list<ServerHandshake> pending_;
  std::map<Nonce, std::vector<FileDescriptor>> proven_;  // by connection; one place per stream
};

}  // namespace collbench::socket
