#pragma once
// Tries the candidate launch plans of an operation on the device and keeps the fastest; all ranks keep the
// same one.
#include <functional>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// Objects that the tuner needs to run and time candidates.
struct TunerContext {
  cuda::Device& device;
  DeviceTimeline& timeline;
  std::function<void(const LaunchPlan&)> queue;  // Queues one operation.
  /// Replaces each value by its minimum over all ranks.
  std::function<void(std::vector<float>&)> least_of_ranks;
};

/// Returns the fastest plan. @param bytes moved by one operation; long operations are tried fewer times
LaunchPlan fastest(const std::vector<LaunchPlan>& plans, std::size_t bytes, const TunerContext& bench);

}  // namespace collbench::nvshmem
