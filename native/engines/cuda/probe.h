#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::gpu {

/// Text for reports that names who rings an adapter's doorbells.
inline constexpr const char* kInitiators = "GPU kernels";
/// Text for reports that says how transport p2p moves data.
inline constexpr const char* kByStores = "loads and stores of GPU kernels";

/// Returns true if the cuda engine has this transport (p2p or ibgda).
bool has_transport(const std::string& name) noexcept;

/// Checks whether this machine can run the engine over `transport`: driver, GPUs, NVRTC and the needs of the
/// transport. Reports problems in the result; never throws.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::gpu
