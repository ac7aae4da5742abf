#pragma once
// The embedded engine: collectives on host memory over any transport, one object per rank.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "engines/cpu/channel.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/thread_team.h"
#include "engines/cpu/tuning.h"
#include "engines/engine.h"
#include "transports/counters.h"

namespace collbench::cpu {

/// Engine for collectives in host memory over this project's transports. Buffers of a CollectiveCall, and
/// messages, must be in memory from buffer(), because only that memory is registered with the transport.
class CpuEngine final : public Engine {
 public:
  /// Connects this rank to other ranks; all ranks must construct at the same time.
  /// @param algorithm name from algorithms(), used for every operation that it supports; "" = chosen per size
  CpuEngine(Bootstrap& bootstrap, std::shared_ptr<Transport> transport, const std::string& algorithm,
            std::function<bool()> cancelled, const Tuning& tuning);
  ~CpuEngine() override;

  void* buffer(int index, std::size_t bytes) override;
  void release_buffers() override;
  void enqueue(const CollectiveCall& call) override;
  void connect_all() override;
  void transfer(std::span<const PeerMessage> messages) override;
  void launch(const Computation& computation, const void* arguments, std::uint64_t threads) override;
  std::unique_ptr<Engine> for_group(Bootstrap& group) override;
  PutPort& put_port() override;
  [[nodiscard]] std::uint32_t spins(int threads) const override;
  void stop_if_cancelled() const override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void synchronize() override {}
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const override;
  [[nodiscard]] std::string protocol_of(const Operation& operation) const override;
  [[nodiscard]] DeviceProperties device() const override;
  /// Returns the transport's counters minus the traffic that was needed to make connections.
  [[nodiscard]] TransportCounters counters() const override { return transport_->counters() - connecting_; }

 private:
  /// Algorithm, peers and protocol of an operation.
  struct AlgorithmChoice {
    Operation operation;
    const AlgorithmRow* row = nullptr;
    PeerSet peer_set = PeerSet::kRing;
    Protocol protocol = Protocol::kSimple;
  };
  /// Returns algorithm, peers and protocol for an operation. The result for the latest operation is cached,
  /// because choosing takes as long as sending a small message.
  const AlgorithmChoice& choice_for(const Operation& operation);
  [[nodiscard]] const AlgorithmRow& row_for(const Operation& operation) const noexcept;
  [[nodiscard]] Protocol protocol_for(const Operation& operation) const noexcept;
  /// Returns the operation that one channel executes: an equal part of the vector, or the whole operation if
  /// it is not split.
  [[nodiscard]] Operation part_of(const Operation& operation) const noexcept;
  /// Connects all channels to those ranks in `peer_set` that are not connected yet. All ranks must call it
  /// together.
  void connect(PeerSet peer_set);
  void run_in_parts(const AlgorithmChoice& choice, const CollectiveCall& call, int parts);

  const int ranks_;
  const PeerSet widest_;             // Widest peer set that the transport supports.
  const AlgorithmRow* const asked_;  // Requested algorithm; null = chosen per size.
  const Tuning tuning_;
  /// Longest message in bytes that the protocol ll (flags within the data) can send; 0 = the transport does
  /// not support ll.
  const std::size_t flagged_bytes_;
  const std::function<bool()> cancelled_;
  std::unique_ptr<ThreadTeam> team_;  // Threads of the channels; null with one channel.
  /// Returns true if waits of channels must end: the launch was cancelled, or another channel has failed.
  const std::function<bool()> stops_;
  // Members are destroyed from the bottom up: registrations before their memory, connections before the
  // transport.
  std::shared_ptr<Transport> transport_;  // Shared with the engines of groups.
  std::array<Pages, 2> pages_;
  std::vector<std::unique_ptr<CpuChannel>> channels_;
  TransportCounters connecting_;  // Traffic of connect(), which counters() subtracts.
  AlgorithmChoice choice_;        // Choice for the last call.
};

}  // namespace collbench::cpu
