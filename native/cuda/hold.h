#pragma once
#include <memory>

#include "cuda/kernels.h"
#include "measure/timeline.h"

namespace collbench::cuda {

/// Returns the timer of the device's stream: CUDA events as time stamps, and a kernel that makes the stream
/// wait until the host releases it.
std::unique_ptr<DeviceTimeline> make_timeline(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
