#pragma once
// Collectives of transport p2p: kernels that store into memory of the other ranks and load from it.
#include <cstdint>
#include <vector>

#include "cuda/computations.h"
#include "engines/cuda/plan.h"
#include "engines/cuda/windows.h"
#include "engines/engine.h"

namespace collbench::gpu {

/// Where a call's buffers lie at every rank, as this one reaches them.
struct Reached {
  std::vector<u64> sends, results;
};

class Stores {
 public:
  /// @param first_window from here on windows are free for it
  Stores(cuda::Device& device, cuda::Computations& computations, Windows& windows, int rank, int ranks,
         std::size_t first_window, DirectCounters* counters, DirectMailbox* mailbox);

  /// Queues it; all ranks together. @throws Error(kUnavailable) where windows cannot be made
  void queue(const Operation& operation, const StorePlan& plan, const Reached& reached);

 private:
  struct Region {
    cuda::DeviceMemory memory;
    std::vector<ibgda::Span> at;  // by rank
  };
  void make(Region& region, std::size_t window, std::size_t bytes);
  StoreArgs args_of(const Operation& operation, StorePlan& plan, const Reached& reached) const;

  cuda::Device& device_;
  cuda::Computations& computations_;
  Windows& windows_;
  const int rank_, ranks_;
  const std::size_t first_window_;
  DirectCounters* const counters_;
  DirectMailbox* const mailbox_;
  u64 epoch_ = 0, pieces_ = 0;
  Region board_, slots_;
};

}  // namespace collbench::gpu
