#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::gpu {

/// Who rings the doorbells of an adapter.
inline constexpr const char* kInitiators = "GPU kernels";
/// How transport p2p goes, for people.
inline constexpr const char* kByStores = "loads and stores of GPU kernels";

/// p2p, ibgda.
bool has_transport(const std::string& name) noexcept;

/// Whether this machine can run the engine over `transport`: driver, GPUs, NVRTC, and what the transport
/// needs. Never throws.
Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings);

}  // namespace collbench::gpu
