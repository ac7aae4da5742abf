#pragma once
// Connections of one rank to the others, and what runs over them.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/peer_set.h"
#include "engines/cpu/registered_memory.h"
#include "engines/cpu/schedule_runner.h"
#include "engines/cpu/tuning.h"
#include "engines/engine.h"

namespace collbench::cpu {

/// Connections of this rank to other ranks, with the objects that move data over them. A channel is not
/// thread-safe, but several channels of a rank can be used at the same time.
class CpuChannel {
 public:
  /// Connects this rank to every other if there are at most kFullMeshRanks ranks, otherwise to its neighbours
  /// in the ring. All ranks (at least two) must construct their channels at the same time.
  /// @param tuning must outlive this object, as must `cancelled`
  CpuChannel(Bootstrap& bootstrap, Transport& transport, const Tuning& tuning,
             const std::function<bool()>& cancelled);

  /// Registers the memory of the engine's buffer (`index` 0 send, 1 receive) for later calls and messages.
  /// Registrations of the memory that the buffer had earlier are removed.
  void set_buffer(int index, std::span<std::byte> memory) {
    prepared_row_ = nullptr;
    buffers_.at(static_cast<std::size_t>(index)).use_memory(memory);
  }
  /// Connects to those ranks in `peer_set` that are not connected yet. All ranks must call it together. New
  /// connections reset the protocol to simple, so call use() after it.
  void connect(PeerSet peer_set);
  [[nodiscard]] PeerSet connected() const noexcept { return connected_; }
  /// Selects, for all following operations, how receivers learn that data have arrived: by a separate
  /// notification (simple) or by flags within the data (ll).
  void use(Protocol protocol);
  /// Runs a collective with this algorithm until it is complete on this rank.
  /// @throws Error(kInvalidArgument) if the call's buffers are not in memory from set_buffer()
  void run(const AlgorithmRow& row, const CollectiveCall& call);
  void transfer(std::span<const PeerMessage> messages);

 private:
  /// Exchanges texts of equal length among all ranks over the ring's connections; returns all texts, by rank.
  /// connect_peers() uses it.
  std::vector<std::string> gather_round_the_ring(const std::string& mine);
  bool run(const AlgorithmRow& row, const Operation& operation, CallBuffers buffers);
  [[nodiscard]] CallBuffers buffers_of(const CollectiveCall& call);
  RegisteredMemory& buffer_of(const void* at, std::size_t bytes, const char* which);

  const int rank_;
  const int ranks_;
  Transport& transport_;
  const Tuning& tuning_;
  const std::function<bool()>& cancelled_;
  // Members are destroyed from the bottom up: registrations before connections.
  std::vector<PeerConnections> peers_;
  PeerSet connected_;
  Protocol used_ = Protocol::kSimple;  // Protocol that all connections use.
  std::array<RegisteredMemory, 2> buffers_{RegisteredMemory(peers_), RegisteredMemory(peers_)};
  ScheduleRunner runner_;
  CollectiveCall prepared_;  // Call that runner_ can repeat, by algorithm prepared_row_; null = none.
  const AlgorithmRow* prepared_row_ = nullptr;
  Schedule schedule_;  // Schedule of operation scheduled_ by algorithm scheduled_row_.
  Operation scheduled_;
  const AlgorithmRow* scheduled_row_ = nullptr;
};

}  // namespace collbench::cpu
