#pragma once
// How an MPI is told which way its bytes go, and how its launcher is called. Pure: nothing is started here.
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/mpi/toolchain.h"

namespace collbench::mpi {

struct Way {
  std::string transport;  // "socket", "shm"
  std::string interface;  // "lo"; of socket
  int streams = 0;        // TCP connections per peer, 0 = the MPI chooses
  bool yields = false;    // ranks share cores: a waiting rank gives its core away
};

/// Names that the engine has.
const std::vector<std::string>& transport_names();

/// Variables of a rank (and of the launcher) that open this way and no other.
/// @throws Error(kInvalidArgument) a transport that this MPI does not have
Settings environment_for(const Toolchain& tools, const Way& way);

/// Variables of the library (MPI_T) that say what it took, by the name under which they are recorded.
std::vector<std::string> proofs_of(Kind kind);

/// Words behind mpirun that start `slot` once for each rank, on this machine.
std::vector<std::string> launcher_words(const Toolchain& tools, int ranks, bool as_root);

}  // namespace collbench::mpi
