#pragma once
#include <map>
#include <string>

#include "cuda/device.h"

namespace collbench::gpu {

/// What it costs to start work, medians in ns, of nothing but an empty kernel: from the call until the host
/// sees its end ("launch.kernelNs", "launch.graphNs" of a graph of one kernel), and the call alone
/// ("launch.callNs"). Empty for GPUs that are faked.
std::map<std::string, std::string> measure_launches(cuda::Device& device);

}  // namespace collbench::gpu
