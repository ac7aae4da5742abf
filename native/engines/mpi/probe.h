#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

/// Looks for an MPI and compiles the bridge against it if necessary; starts no rank.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::mpi
