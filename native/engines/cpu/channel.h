#pragma once
// Connections of one rank to the others, and what runs over them.
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/direct.h"
#include "engines/cpu/reach.h"
#include "engines/cpu/registered.h"
#include "engines/cpu/ring.h"
#include "engines/cpu/schedule_runner.h"
#include "engines/cpu/transfers.h"
#include "engines/cpu/tuning.h"
#include "engines/engine.h"

namespace collbench::cpu {

/// One thread at a time may use it; several channels of a rank may be used at once.
class Channel {
 public:
  /// Connects; all ranks construct at the same time, two of them at least.
  /// @param tuning, cancelled outlive this object
  Channel(Bootstrap& bootstrap, Transport& transport, const Tuning& tuning,
          const std::function<bool()>& cancelled);

  /// Memory of the engine's buffer `index`, of which calls and messages are made; registrations of what was
  /// there before end.
  void lend(int index, std::span<std::byte> memory) {
    buffers_.at(static_cast<std::size_t>(index)).borrow(memory);
  }
  /// All ranks call it together.
  void connect(Reach reach);
  [[nodiscard]] Reach reached() const noexcept { return reached_; }
  /// What follows goes by this protocol.
  void use(Protocol protocol);
  /// @throws Error(kInvalidArgument) where the call does not lie in memory that was lent
  void run(const AlgorithmRow& row, const Call& call);
  void transfer(std::span<const Message> messages);

 private:
  /// The exchange of connect_peers().
  std::vector<std::string> gather_round_the_ring(const std::string& mine);
  void run_ring(const Operation& operation, const CallBuffers& own);
  void run_schedule(const AlgorithmRow& row, const Call& call);
  [[nodiscard]] CallBuffers buffers_of(const Call& call);
  Registered& buffer_of(const void* at, std::size_t bytes, const char* which);

  const int rank_;
  const int ranks_;
  const int left_, right_;  // neighbours in the ring
  Transport& transport_;
  const Tuning& tuning_;
  const std::function<bool()>& cancelled_;
  // Destroyed from the bottom up: registrations before comms.
  std::vector<Peer> peers_;
  Reach reached_;
  Protocol used_ = Protocol::kSimple;  // by all connections
  std::array<Registered, 2> buffers_{Registered(peers_), Registered(peers_)};
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Ring> ring_;
  std::unique_ptr<ScheduleRunner> runner_;
  std::unique_ptr<Transfers> transfers_;
  RingPlan plan_;
  Schedule schedule_;  // of scheduled_ by scheduled_row_
  Operation scheduled_;
  const AlgorithmRow* scheduled_row_ = nullptr;
};

}  // namespace collbench::cpu
