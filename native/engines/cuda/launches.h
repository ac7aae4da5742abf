#pragma once
#include <map>
#include <string>

#include "cuda/device.h"

namespace collbench::gpu {

/// Measures the cost of launching work, as medians in ns with an empty kernel. "launch.kernelNs" is the time
/// from the call until the host sees the end. "launch.graphNs" is the same for a graph of one kernel,
/// "launch.callNs" the call alone. Empty for fake GPUs.
std::map<std::string, std::string> measure_launches(cuda::Device& device);

}  // namespace collbench::gpu
