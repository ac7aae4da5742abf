#pragma once
#include <map>
#include <string>

#include "cuda/device.h"

namespace collbench::gpu {

/// Measures what launching work costs, with an empty kernel; medians in ns as text. "launch.kernelNs": from
/// the call until the host sees that the kernel has ended. "launch.graphNs": the same for a graph of one
/// kernel. "launch.callNs": only the call. Returns an empty map for fake GPUs.
std::map<std::string, std::string> measure_launches(cuda::Device& device);

}  // namespace collbench::gpu
