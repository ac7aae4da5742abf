#pragma once
// Words of the mpi engine, checked. Its flags are in suites/engines/mpi/flags.ts.
#include <string>

#include "engines/engine.h"

namespace collbench::mpi {

struct MpiSettings {
  std::string mpi;  // "mpi": mpirun, or the folder of an installation; "" = mpirun in PATH
};

/// @throws Error(kInvalidArgument) naming the word
MpiSettings parse_settings(const Settings& settings);

}  // namespace collbench::mpi
