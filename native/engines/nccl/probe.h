#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::nccl {

/// Checks whether this machine can run the engine over `transport`. Starts nothing; never throws.
/// Problems that it reports: no driver, or a driver too old for the NCCL that was found; no GPU, or a
/// requested GPU that is missing; NCCL missing or too old; a plugin that cannot be loaded or has no symbol
/// ncclNetPlugin_v6 to v12; no InfiniBand device (ib, ibgda); no ConnectX (ibgda); only one GPU (p2p).
/// Facts that it returns: "nccl.path", "nccl.version", "nccl.how", "driver.version" ("13.0"),
/// "driver.release" (from /proc/driver/nvidia/version), "nvrtc.path" or "nvrtc.missing", "gpu.count",
/// "gpu.0.name", "gpu.0.pci", "gpu.0.memoryBytes", "gpu.0.capability" ("9.0"), ..., "net.plugin", and
/// "env.NAME" for each variable that rank 0 would get.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

/// Returns true if the CUDA driver is the fake one, whose GPUs are host memory (cuda/fake). Results then have
/// the medium "emulated".
bool has_fake_gpus();

}  // namespace collbench::nccl
