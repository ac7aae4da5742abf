#pragma once
// Connection setup. The handle names a data interrupt of the listener. The connector sends it a
// request with its segment's id. The listener connects to that segment and writes its own segment's id there.
// Both then prove the DMA path. Segment ids come from the driver and travel in these messages, so two nodes
// may have any number of connections.
#include <array>
#include <list>
#include <memory>
#include <vector>

#include "transports/sisci/proof.h"
#include "transports/sisci/transport_state.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

class SisciListenComm final : public ListenComm {
 public:
  explicit SisciListenComm(std::shared_ptr<TransportState> state);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  /// Advances all pending connections. Returns the first one whose DMA path is proven, or that needs no
  /// proof; nullptr if there is none yet. Drops those whose connector has gone or does not answer for 30 s.
  /// @throws Error(kUnavailable) if no kind of DMA works with a connector
  std::unique_ptr<RecvComm> accept() override;

 private:
  struct PendingConnection {
    std::uint64_t nonce = 0;
    unsigned int node_id = 0;
    std::unique_ptr<LocalSegment> receiver_segment;
    std::unique_ptr<RemoteSegment> sender_segment;
    std::unique_ptr<PathProof> proof;
    bool greeted = false;
    bool proving = false;
    std::int64_t last_step_ns = 0;
    PeerCheckTimer check_timer;
  };

  void accept_requests();
  /// Advances one pending connection without waiting.
  /// @returns the kind of DMA that works, once its test has ended; nullopt before. kRegistered if neither end
  /// wants the test
  /// @throws Error(kConnectionLost) if the connector has closed the connection; Error(kUnavailable) if no
  /// kind of DMA works
  std::optional<DmaPath> advance(PendingConnection& pending);

  std::shared_ptr<TransportState> state_;
  DataInterrupt interrupt_;
  std::uint64_t nonce_;
  ConnectHandle handle_{};
  std::list<PendingConnection> pending_;
  std::vector<std::uint64_t> seen_nonces_;  // nonces of connectors seen, because requests are repeated
};

class SisciConnecting final : public Connecting {
 public:
  /// Starts to connect to a listener.
  /// @throws Error(kProtocol) if the handle is not from a sisci listener of this version
  SisciConnecting(std::shared_ptr<TransportState> state, const ConnectHandle& handle);
  ~SisciConnecting() override;
  std::unique_ptr<SendComm> poll() override;

 private:
  void send_request();
  bool connect_receiver_memory();

  std::shared_ptr<TransportState> state_;
  std::uint64_t listener_nonce_;
  unsigned int peer_node_;
  std::uint64_t nonce_;
  std::unique_ptr<LocalSegment> sender_memory_;
  std::unique_ptr<RemoteDataInterrupt> interrupt_;
  std::unique_ptr<RemoteSegment> receiver_memory_;
  std::unique_ptr<PathProof> proof_;
  bool receiver_connected_ = false;
  std::int64_t request_sent_ns_ = 0;
  PeerCheckTimer check_timer_;
};

}  // namespace collbench::sisci
