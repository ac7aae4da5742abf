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
  /// Registers the lanes and connects one queue to each neighbour. Neighbours must construct at the same
  /// time.
  /// @param spins polls before a waiting thread yields its core
  HaloPuts(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours, std::uint32_t spins);

  /// Writes the queue entries of the next exchange: for each side the points, then the exchange number. The
  /// adapter starts when ring() is called. @param turn 0 or 1: which of the two lanes per side is used
  void write(int turn);
  /// Rings the doorbell of each neighbour's queue, so that the adapter sends what write() has written.
  void ring();
  /// Waits until the data of all puts are in the neighbours' memory.
  /// @throws as PutQueue::poll() and Engine::stop_if_cancelled()
  void await_completion();
  /// Sends the edge points to all neighbours and waits until they have them: write() of the queue entries,
  /// ring(), await_completion(). @param turn 0 or 1: which of the two lanes per side is used, as for write()
  void put(int turn);
  /// Waits until the edge points that the neighbours sent in the latest exchange have arrived here.
  /// @param turn as for write()
  void await_halos(int turn);

  // The following functions serve a device that writes, rings or waits by itself.
  /// Writes the current state of the queues and the addresses of the neighbours' lanes for this turn, for a
  /// kernel.
  /// @param links array with one element per neighbour, in the order of Side
  void describe(int turn, ExchangeLink* links) const;
  /// Updates the queues after a kernel has used them in one exchange. If it wrote entries, also counts the
  /// points and exchange numbers as sent.
  /// @param each entries, doorbells and completions of each queue
  void adopt(const PutCounters& each);
  /// Adds the points that arrived in one exchange to the engine's counters(). Called after a kernel, not
  /// await_halos(), has seen them arrive.
  void count_received();
  /// Lets the emulated adapter softmlx5 work in the calling thread; does nothing for a real adapter.
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
  /// Polls until `done()` returns true. @throws Error(kCancelled) if the launch is ended
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
