#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::nvshmem {

/// Checks CUDA driver, GPUs (at least two), NVSHMEM, nvcc, and for ibgda the adapter. Reports all that is
/// missing; never throws. Facts: "nvshmem.path", ".version", ".how" (option, variable or package that led
/// to the library), "nvcc.path", "nvrtc.*", "env.*" (environment of the ranks) and those of cuda/probe.h.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::nvshmem
