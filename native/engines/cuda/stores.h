#pragma once
// Collectives of transport p2p: kernels that store into other ranks' memory and load from it.
#include <cstdint>
#include <vector>

#include "cuda/computations.h"
#include "engines/cuda/plan.h"
#include "engines/cuda/windows.h"
#include "engines/engine.h"

namespace collbench::gpu {

/// Addresses of a call's send and result buffers on every rank, by rank, as this rank's kernels access them.
struct CallAddresses {
  std::vector<u64> sends, results;
};

class StoreCollectives {
 public:
  /// @param first_window index in `windows` of the first window that this object may use for its own memory
  /// @param counters kernels add their traffic to them @param mailbox holds the flag that stops kernels
  StoreCollectives(cuda::Device& device, cuda::Computations& computations, Windows& windows, int rank,
                   int ranks, std::size_t first_window, DirectCounters* counters, DirectMailbox* mailbox);

  /// Queues an operation on the device's stream; all ranks must call it together with equal plans.
  /// @param reached addresses of the call's buffers on all ranks
  /// @throws Error(kUnavailable) if ranks cannot access each other's memory
  void queue(const Operation& operation, const StorePlan& plan, const CallAddresses& reached);

 private:
  struct Region {
    cuda::DeviceMemory memory;
    std::vector<ibgda::KeyedAddress> at;  // Addresses by rank.
  };
  void make(Region& region, std::size_t window, std::size_t bytes);
  StoreArgs args_of(const Operation& operation, StorePlan& plan, const CallAddresses& reached) const;

  cuda::Device& device_;
  cuda::Computations& computations_;
  Windows& windows_;
  const int rank_, ranks_;
  const std::size_t first_window_;
  DirectCounters* const counters_;
  DirectMailbox* const mailbox_;
  u64 epoch_ = 0, pieces_ = 0;
  Region progress_flags_, slots_;
};

}  // namespace collbench::gpu
