#pragma once
#include <list>
#include <map>
#include <string>
#include <vector>

#include "transports/socket/connection.h"
#include "transports/socket/handshake.h"
#include "transports/socket/interfaces.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Sets the options of a data socket: TCP_NODELAY, and buffer sizes if the user named one. Otherwise the
/// kernel chooses them: that is as fast as any fixed size (README.md), and it grows the buffers for links
/// with long latency.
/// @param buffer_bytes size of each of both buffers, 0 = the kernel chooses
/// @throws Error(kUnavailable) if the kernel allows no buffer of this size
void tune_socket(int fd, int buffer_bytes = 0);

/// Listens on the chosen address until one peer that knows the token has connected all its TCP streams.
/// At most 64 connections may wait without having proved the token; a further one makes the listener drop the
/// oldest. So port scans and floods cannot exhaust memory.
class SocketListenComm final : public ListenComm {
 public:
  /// Binds and listens.
  /// @param address address of the chosen interface; with port 0 the kernel chooses the port
  /// @param streams number of TCP connections expected from the peer
  /// @param buffer_bytes see tune_socket()
  /// @throws Error(kUnavailable) if the address cannot be bound
  SocketListenComm(const SocketAddress& address, std::string token, int streams, int buffer_bytes,
                   std::shared_ptr<CounterTable> counter_table);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  /// Returns the connection when all its streams are there, and closes the listener; nullptr before. A later
  /// call throws Error(kInvalidArgument).
  std::unique_ptr<RecvComm> accept() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  void accept_pending();
  /// Advances all handshakes. Returns the TCP streams of the first connection that is complete; empty if none
  /// is.
  std::vector<FileDescriptor> step_handshakes();

  FileDescriptor listener_;
  std::string token_;
  int streams_;
  int buffer_bytes_;
  std::shared_ptr<CounterTable> counter_table_;
  ConnectHandle handle_{};
  std::list<ServerHandshake> pending_;
  /// accepted streams of each connection that is not complete yet, indexed by stream number
  std::map<Nonce, std::vector<FileDescriptor>> authenticated_;
};

}  // namespace collbench::socket
