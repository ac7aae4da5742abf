#pragma once
// Connections of one rank to the others, and the executors that use them.
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/direct.h"
#include "engines/cpu/peer_set.h"
#include "engines/cpu/registered_memory.h"
#include "engines/cpu/ring.h"
#include "engines/cpu/schedule_runner.h"
#include "engines/cpu/transfers.h"
#include "engines/cpu/tuning.h"
#include "engines/engine.h"

namespace collbench::cpu {

/// One thread at a time may use a channel; several channels of a rank may be used at once.
class Channel {
 public:
  /// Connects to the other ranks; all ranks construct at the same time, at least two.
  /// @param tuning, cancelled must outlive this object
  Channel(Bootstrap& bootstrap, Transport& transport, const Tuning& tuning,
          const std::function<bool()>& cancelled);

  /// Makes the memory of the engine's buffer `index` known for calls and messages. Registrations of the
  /// buffer's previous memory end.
  void set_buffer(int index, std::span<std::byte> memory) {
    buffers_.at(static_cast<std::size_t>(index)).use_memory(memory);
  }
  /// Connects to more peers. All ranks call it together.
  void connect(PeerSet peer_set);
  [[nodiscard]] PeerSet connected() const noexcept { return connected_; }
  /// Selects the protocol of the following operations.
  void use(Protocol protocol);
  /// Runs a collective. @throws Error(kInvalidArgument) if the call's buffers are not in known memory
  void run(const AlgorithmRow& row, const CollectiveCall& call);
  void transfer(std::span<const PeerMessage> messages);

 private:
  /// Exchanges blobs around the ring, for connect_peers().
  std::vector<std::string> gather_round_the_ring(const std::string& mine);
  void run_ring(const Operation& operation, const CallBuffers& own);
  void run_schedule(const AlgorithmRow& row, const CollectiveCall& call);
  [[nodiscard]] CallBuffers buffers_of(const CollectiveCall& call);
  RegisteredMemory& buffer_of(const void* at, std::size_t bytes, const char* which);

  const int rank_;
  const int ranks_;
  const int left_, right_;  // Neighbours in the ring.
  Transport& transport_;
  const Tuning& tuning_;
  const std::function<bool()>& cancelled_;
  // Members are destroyed from the bottom up: registrations before connections.
  std::vector<PeerConnections> peers_;
  PeerSet connected_;
  Protocol used_ = Protocol::kSimple;  // Protocol that all connections use.
  std::array<RegisteredMemory, 2> buffers_{RegisteredMemory(peers_), RegisteredMemory(peers_)};
  std::unique_ptr<DirectExecutor> direct_;
  std::unique_ptr<RingExecutor> ring_;
  std::unique_ptr<ScheduleRunner> runner_;
  std::unique_ptr<MessageTransfers> transfers_;
  RingPlan plan_;
  Schedule schedule_;  // Schedule of operation scheduled_ by algorithm scheduled_row_.
  Operation scheduled_;
  const AlgorithmRow* scheduled_row_ = nullptr;
};

}  // namespace collbench::cpu
