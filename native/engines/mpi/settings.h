#pragma once
// Settings of the mpi engine. Its command line options are in suites/engines/mpi/options.ts.
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

struct MpiSettings {
  std::string mpi;  // "mpi": mpirun, or the folder of an installation; "" = mpirun in PATH.
};

/// Parses the settings of the mpi engine. @throws Error(kInvalidArgument) for a setting that it does not have
MpiSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::mpi
