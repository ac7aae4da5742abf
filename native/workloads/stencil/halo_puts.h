#pragma once
// Halo exchange by puts into the neighbours' lanes, over queues that the workload writes and rings itself.
// The control path decides which thread or device does which part. Used by one thread at a time.
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "transports/puts.h"
#include "workloads/stencil/device/exchange_device.h"
#include "workloads/stencil/neighbours.h"

namespace collbench::stencil {

class HaloPuts {
 public:
  /// Registers the lanes and connects a queue to each neighbour; neighbours construct theirs at the same
  /// time.
  /// @param spins empty polls before the thread yields its core
  HaloPuts(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours, std::uint32_t spins);

  /// Writes the entries of the next exchange without telling the adapter: the points of each side, then the
  /// exchange number.
  void write(int turn);
  /// Rings the doorbells for the written entries.
  void ring();
  /// Waits until everything written is in the neighbours' memory.
  /// @throws as PutQueue::poll, Engine::stop_if_cancelled
  void await_completion();
  /// Writes, rings and waits for completion.
  void put(int turn);
  /// Waits until all neighbours' points of the exchange written last have arrived.
  void await_halos(int turn);

  // The following functions serve a device that writes, rings or waits by itself.
  /// Describes the queues' current state and the neighbours' lanes of that turn.
  /// @param links array with one element per neighbour, by side
  void describe(int turn, ExchangeLink* links) const;
  /// Takes over the counts of a device's work in one exchange, per queue.
  void adopt(const PutCounters& each);
  /// Counts one exchange's points from the neighbours, which the device has seen arrive, for counters().
  void count_received();
  /// Lets a software adapter make progress.
  void progress() { port_.progress(); }

 private:
  struct Link {
    int side;
    std::size_t bytes;
    std::unique_ptr<PutQueue> queue;
    PutTarget lanes;  // The neighbour's first lane.
    std::uint32_t ticket = 0;
  };
  void connect(const Neighbours& neighbours);
  [[nodiscard]] PutTarget target(const Link& link, int turn) const;
  /// Polls until `done` returns true. @throws Error(kCancelled)
  template <class Done>
  void await(Done done);

  Engine& engine_;
  PutPort& port_;
  const HaloMemory& memory_;
  const std::uint32_t spins_;
  std::uint64_t number_ = 0;  // Number of the exchange written last.
  std::unique_ptr<MemoryRegion> edges_, halos_;
  std::vector<Link> links_;
};

}  // namespace collbench::stencil
