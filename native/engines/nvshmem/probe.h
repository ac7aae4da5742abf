#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::nvshmem {

/// Whether this machine can run the engine: driver, GPUs that reach each other, NVSHMEM with its headers,
/// nvcc; every missing piece at once. facts: "nvshmem.path", "nvshmem.version", "nvshmem.how", "nvcc.path"
/// and those of cuda/probe.h. Never throws, runs nothing.
Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings);

}  // namespace collbench::nvshmem
