#pragma once
#include <string>
#include <vector>

#include "transports/socket/handshake.h"
#include "transports/socket/listen.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Address and number of streams in a handle.
struct PlannedPeer {
  SocketAddress address;
  int streams = 1;
};
PlannedPeer read_handle(const ConnectHandle& handle, unsigned interface_index);

/// Connects all streams from the planned interface's address and proves the token on each.
class SocketConnecting final : public Connecting {
 public:
  SocketConnecting(const PlannedInterface& from, PlannedPeer peer, std::string token,
                   MakeCounters make_counters);
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
  MakeCounters make_counters_;
  Nonce connection_ = random_nonce();
  std::vector<StreamAttempt> streams_;
};

}  // namespace collbench::socket
