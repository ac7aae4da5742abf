#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

/// Looks for an MPI and compiles the bridge against it, the first time; starts no rank.
Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings);

}  // namespace collbench::mpi
