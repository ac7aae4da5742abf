#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::gpu {

/// Text in reports for who starts RDMA writes (rings the adapter's doorbells) with transport ibgda.
inline constexpr const char* kInitiators = "GPU kernels";
/// Text in reports for how transport p2p moves data between GPUs.
inline constexpr const char* kByStores = "loads and stores of GPU kernels";

/// Returns true if the cuda engine has this transport (p2p or ibgda).
bool has_transport(const std::string& name) noexcept;

/// Checks whether this machine can run the engine over `transport`: driver, GPUs, NVRTC and the needs of the
/// transport. Reports problems in the result; never throws.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::gpu
