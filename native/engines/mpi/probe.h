#pragma once
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

/// Checks whether this machine has a usable MPI, and compiles the shared object through which ranks call it
/// unless that was done before. Starts no rank. Takes about a minute at most; never throws.
Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

struct MpiSettings {
  std::string mpi;  // "mpi": mpirun, or the folder of an installation; "" = mpirun in PATH.
};

/// Parses the settings of the mpi engine. @throws Error(kInvalidArgument) for a setting that it does not have
MpiSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::mpi
