#pragma once
// Carries out a Schedule: messages of all peers under way at the same time, and only those waited for that a
// step needs.
#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/connections.h"
#include "engines/cpu/kernels.h"
#include "engines/cpu/registered.h"
#include "engines/cpu/schedule.h"

namespace collbench::cpu {

/// Buffers of one call and the memory that they lie in; null where the rank has none of them.
struct CallBuffers {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  Registered* send_memory = nullptr;
  Registered* recv_memory = nullptr;
};

class ScheduleRunner {
 public:
  /// @param peers by rank; outlives this object
  /// @param longest_message longer ones go in pieces
  ScheduleRunner(std::vector<Peer>& peers, std::size_t longest_message, std::uint32_t spins,
                 const std::function<bool()>& cancelled);

  /// @throws Error(kInvalidArgument) a peer that this rank is not connected to; kProtocol where the ranks run
  /// different operations; kCancelled
  void run(const Schedule& schedule, const Operation& operation, const CallBuffers& buffers);

 private:
  struct Flight {
    Request* request = nullptr;  // null: complete, or not taken yet
    Peer* peer = nullptr;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    MemoryRegion* memory = nullptr;
    std::size_t lane = 0;  // one way of one peer
    bool taken = false;    // by the transport
  };

  [[nodiscard]] std::byte* at(Place place) const noexcept;
  MemoryRegion* region(Space space, int peer, bool sends);
  Peer& peer_of(const Step& step) const;
  void post(const Step& step);
  /// @returns whether the transport took it
  static bool offer(Flight& flight);
  /// True when a message went that the transport had not taken before. Those of one connection keep their
  /// order; none holds up another connection.
  bool offer_again();
  void compute(const Step& step) const;
  /// Until the first `receives` messages that were posted to come are there.
  void await(std::size_t receives);
  void drain();
  bool look_at_sends();
  bool look_at_receives(std::size_t first, std::size_t end);
  void step(Waiting& waiting, std::size_t receives);

  std::vector<Peer>& peers_;
  const std::size_t longest_message_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  Registered scratch_;

  // State of the running call.
  CallBuffers buffers_;
  std::size_t element_ = 1;
  Combine combine_ = nullptr;
  Divide divide_ = nullptr;
  std::vector<Flight> sends_;              // incomplete ones alone
  std::vector<Flight> receives_;           // in the order of posting
  std::vector<std::size_t> posted_after_;  // by receiving step: receives_ up to and with it
  std::size_t arrived_ = 0;                // so many of receives_ from the first on are complete
  std::size_t refused_ = 0;                // messages that the transport has not taken yet
  std::vector<std::size_t> refused_of_;    // by lane
  std::vector<bool> is_stuck_;             // by lane, in one pass of offer_again
};

}  // namespace collbench::cpu
