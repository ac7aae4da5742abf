#pragma once
// Halos as puts into the neighbours' lanes, over queues that the workload writes and rings itself: which
// thread does what is up to the control path. Used by one thread at a time.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "transports/puts.h"
#include "workloads/stencil/memory.h"

namespace collbench::stencil {

class Puts {
 public:
  /// Exposes the lanes and connects a queue to each neighbour; neighbours make theirs at the same time.
  /// @param lengths bytes of each side's points; @param spins empty polls before a core is given away
  Puts(Engine& engine, const Memory& memory, const std::array<int, kSides>& neighbours,
       const std::array<std::size_t, kSides>& lengths, std::uint32_t spins);

  /// Entries of the next exchange: the points of each side, then its number. Unknown to the adapter.
  void write(int turn);
  /// Their doorbells.
  void ring();
  /// Waits until all that was written is in the neighbours' memory.
  /// @throws as PutQueue::poll, Engine::stop_if_cancelled
  void await_completion();
  /// All of the above.
  void put(int turn);
  /// Waits until all neighbours' points of the exchange written last are here.
  void await_halos(int turn);

 private:
  struct Link {
    int side;
    int peer;
    std::size_t bytes;
    std::unique_ptr<PutQueue> queue;
    PutTarget lanes;  // of the neighbour, its first lane
    std::uint32_t ticket = 0;
  };
  void connect();
  /// Polls until `done`. @throws Error(kCancelled)
  template <class Done>
  void await(Done done);

  Engine& engine_;
  PutPort& port_;
  const Memory& memory_;
  const std::uint32_t spins_;
  std::uint64_t number_ = 0;  // of the exchange written last
  std::unique_ptr<MemoryRegion> edges_, halos_;
  std::vector<Link> links_;
};

}  // namespace collbench::stencil
