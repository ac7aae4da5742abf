#pragma once
// Halos as puts into the neighbours' lanes, over queues that the workload writes and rings itself: which
// thread, or which device, does what is up to the control path. Used by one thread at a time.
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "transports/puts.h"
#include "workloads/stencil/device/exchange_device.h"
#include "workloads/stencil/neighbours.h"

namespace collbench::stencil {

class Puts {
 public:
  /// Exposes the lanes and connects a queue to each neighbour; neighbours make theirs at the same time.
  /// @param spins empty polls before a core is given away
  Puts(Engine& engine, const Memory& memory, const Neighbours& neighbours, std::uint32_t spins);

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

  // For a device that writes, rings or waits by itself.
  /// Queues as they stand, and the neighbours' lanes of that turn. @param links one for each neighbour, by
  /// side
  void describe(int turn, ExchangeLink* links) const;
  /// What the device does of one exchange on each queue.
  void adopt(const PutCounters& each);
  /// For counters(): the neighbours' points of one exchange, which the device has seen.
  void count_received();
  /// Lets a software adapter work.
  void progress() { port_.progress(); }

 private:
  struct Link {
    int side;
    std::size_t bytes;
    std::unique_ptr<PutQueue> queue;
    PutTarget lanes;  // of the neighbour, its first lane
    std::uint32_t ticket = 0;
  };
  void connect(const Neighbours& neighbours);
  [[nodiscard]] PutTarget target(const Link& link, int turn) const;
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
