#pragma once
// Tries the candidates of an operation on the device and keeps the fastest; all ranks keep the same one.
#include <functional>
#include <vector>

#include "cuda/device.h"
#include "engines/nvshmem/tuning.h"
#include "measure/timeline.h"

namespace collbench::nvshmem {

/// What it takes to try.
struct Bench {
  cuda::Device& device;
  DeviceTimeline& timeline;
  std::function<void(const Plan&)> queue;                   // one operation
  std::function<void(std::vector<float>&)> least_of_ranks;  // in place, the same on all ranks afterwards
};

/// @param bytes that one operation moves: long ones are tried fewer times
Plan fastest(const std::vector<Plan>& plans, std::size_t bytes, const Bench& bench);

}  // namespace collbench::nvshmem
