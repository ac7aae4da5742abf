#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

/// Checks whether this machine has a usable MPI, and compiles the bridge against it if that was not done
/// before. Starts no rank.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::mpi
