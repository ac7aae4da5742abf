#pragma once
#include <memory>

#include "cuda/kernels.h"
#include "measure/timeline.h"

namespace collbench::cuda {

/// Timeline of hold kernel and event marks on the rank's stream (measure/timeline.h).
std::unique_ptr<DeviceTimeline> make_timeline(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
