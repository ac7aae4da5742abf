#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

/// Checks whether this machine has a usable MPI, and compiles the shared object through which ranks call it
/// unless that was done before. Starts no rank.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::mpi
