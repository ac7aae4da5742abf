#pragma once
// How a connection comes about: the handle names a data interrupt of the listener; the connector knocks there
// with its desk's segment id; the listener connects to the desk, answers in it with the inbox's id; both
// prove the DMA path. Segment ids are the driver's and travel in these messages, so any number of connections
// between two nodes may exist.
#include <array>
#include <list>
#include <memory>
#include <vector>

#include "transports/sisci/fabric.h"
#include "transports/sisci/proof.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

class SisciListenComm final : public ListenComm {
 public:
  explicit SisciListenComm(std::shared_ptr<Fabric> fabric);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  /// @throws Error(kUnavailable) when no DMA path to a visitor works
  std::unique_ptr<RecvComm> accept() override;

 private:
  struct Visitor {
    std::uint64_t nonce = 0;
    unsigned int node_id = 0;
    std::unique_ptr<LocalSegment> inbox;
    std::unique_ptr<RemoteSegment> desk;
    std::unique_ptr<PathProof> proof;
    bool greeted = false;
    bool proving = false;
    std::int64_t last_step_ns = 0;
    Watch watch;
  };

  void answer_knocks();
  /// The path once everything is proven. @throws Error(kConnectionLost) when the visitor has left
  std::optional<Path> advance(Visitor& visitor);

  std::shared_ptr<Fabric> fabric_;
  DataInterrupt door_;
  std::uint64_t nonce_;
  ConnectHandle handle_{};
  std::list<Visitor> visitors_;
  std::vector<std::uint64_t> seen_;  // connectors' nonces: knocks are repeated
};

class SisciConnecting final : public Connecting {
 public:
  /// @throws Error(kProtocol) when the handle is not one of a sisci listener of this version
  SisciConnecting(std::shared_ptr<Fabric> fabric, const ConnectHandle& handle);
  ~SisciConnecting() override;
  std::unique_ptr<SendComm> poll() override;

 private:
  void knock();
  bool enter();

  std::shared_ptr<Fabric> fabric_;
  std::uint64_t listener_nonce_;
  unsigned int peer_node_;
  std::uint64_t nonce_;
  std::unique_ptr<LocalSegment> desk_;
  std::unique_ptr<RemoteDataInterrupt> door_;
  std::unique_ptr<RemoteSegment> inbox_;
  std::unique_ptr<PathProof> proof_;
  bool entered_ = false;
  std::int64_t knocked_ns_ = 0;
  Watch watch_;
};

}  // namespace collbench::sisci
