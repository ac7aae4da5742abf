#pragma once
#include <string>
#include <vector>

#include "transports/socket/handshake.h"
#include "transports/socket/listen.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Content of a listener's handle: its address, and the number of TCP connections (streams) that it expects
/// from the peer.
struct PlannedPeer {
  SocketAddress address;
  int streams = 1;
};
/// Reads the handle of a socket listener.
/// @param interface_index number of the local interface, needed as scope of a link-local IPv6 address
/// @throws Error(kProtocol) if the handle is not from this transport and version
PlannedPeer read_handle(const ConnectHandle& handle, unsigned interface_index);

/// Makes one connection to a listener: connects all its TCP streams, from the address of the chosen
/// interface, and proves the run's token on each. A stream that the listener closes before its answer is
/// connected again; each stream has up to 50 attempts. poll() returns the comm when all streams are accepted.
class SocketConnecting final : public Connecting {
 public:
  SocketConnecting(const PlannedInterface& from, PlannedPeer peer, std::string token, int buffer_bytes,
                   std::shared_ptr<CounterTable> counter_table);
  std::unique_ptr<SendComm> poll() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct StreamAttempt {
    ClientHandshake handshake;
    int attempts_left;
    bool connected = false;
  };
  ClientHandshake start(int stream) const;

  SocketAddress from_;
  PlannedPeer peer_;
  std::string token_;
  int buffer_bytes_;
  std::shared_ptr<CounterTable> counter_table_;
  Nonce connection_ = random_nonce();
  std::vector<StreamAttempt> streams_;
};

}  // namespace collbench::socket
