#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::nvshmem {

/// Checks whether this machine can run the engine: driver, GPUs that reach each other, NVSHMEM with its
/// headers, nvcc. Reports all missing pieces at once; runs nothing and never throws. Facts that it returns:
/// "nvshmem.path", "nvshmem.version", "nvshmem.how", "nvcc.path" and those of cuda/probe.h.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::nvshmem
