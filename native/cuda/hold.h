#pragma once
#include <memory>

#include "cuda/kernels.h"
#include "measure/timeline.h"

namespace collbench::cuda {

/// Returns a timeline for the device's stream (measure/timeline.h). Its gate is the kernel collbench_hold,
/// its time stamps are CUDA events.
std::unique_ptr<DeviceTimeline> make_timeline(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
