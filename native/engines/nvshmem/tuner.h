#pragma once
// Tries the candidate launch plans of an operation on the device and keeps the fastest; all ranks keep the
// same one.
#include <functional>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// Objects that the tuner needs to run and time the candidates.
struct TunerContext {
  cuda::Device& device;
  DeviceTimeline& timeline;
  std::function<void(const LaunchPlan&)> queue;  // Queues one operation.
  /// Replaces each value of the list by the minimum that any rank has for it; all ranks must call it
  /// together.
  std::function<void(std::vector<float>&)> least_of_ranks;
};

/// Times all plans and returns the fastest one; equal on all ranks.
/// @param bytes moved by one operation; operations with many bytes are repeated fewer times
LaunchPlan fastest(const std::vector<LaunchPlan>& plans, std::size_t bytes, const TunerContext& bench);

}  // namespace collbench::nvshmem
