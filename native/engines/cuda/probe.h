#pragma once
#include <map>
#include <string>

#include "cuda/device.h"
#include "engines/engine.h"

namespace collbench::gpu {

/// Returns true if the cuda engine has this transport (p2p or ibgda).
bool has_transport(const std::string& name) noexcept;

/// Checks whether this machine can run the engine over `transport`: driver, GPUs, NVRTC and the needs of the
/// transport. Reports problems in the result; never throws.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

/// Measures what launching work costs, with an empty kernel; medians in ns as text. "launch.kernelNs": from
/// the call until the host sees that the kernel has ended. "launch.graphNs": the same for a graph of one
/// kernel. "launch.callNs": only the call. Returns an empty map for fake GPUs.
std::map<std::string, std::string> measure_launches(cuda::Device& device);

}  // namespace collbench::gpu
