#pragma once
#include <memory>

#include "engines/nccl/kernels.h"

namespace collbench::nccl {

/// Gate kernel and event marks on the rank's stream (measure/timeline.h).
std::unique_ptr<DeviceTimeline> make_timeline(Device& device, const Kernels& kernels);

}  // namespace collbench::nccl
