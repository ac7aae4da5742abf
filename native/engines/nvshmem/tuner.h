#pragma once
// Tries the candidate launch plans of an operation on the device and keeps the fastest; all ranks keep the
// same one.
#include <functional>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// Objects that the tuner needs to run and time launch plans (algorithm, blocks, threads) of one operation.
struct TunerContext {
  cuda::Device& device;
  DeviceTimeline& timeline;
  std::function<void(const LaunchPlan&)> queue;  // Queues one operation.
  /// Replaces each time in the list by the minimum that any rank measured for it. All ranks must call it
  /// together.
  std::function<void(std::vector<float>&)> min_of_ranks;
};

/// Times 2 to 20 operations in a row with each launch plan, three times, and returns the plan with the
/// shortest time. A single plan is returned without running it. Ranks that run it together get the same plan
/// if bench.min_of_ranks makes their times equal.
/// @param plans at least one
/// @param bytes length of the data that one operation moves; the more it is, the fewer operations are timed
/// in a row
LaunchPlan fastest(const std::vector<LaunchPlan>& plans, std::size_t bytes, const TunerContext& bench);

}  // namespace collbench::nvshmem
