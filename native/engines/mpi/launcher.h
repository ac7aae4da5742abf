#pragma once
// Variables and arguments that make an MPI use a transport, and how its launcher is called. Starts nothing.
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/mpi/toolchain.h"

namespace collbench::mpi {

struct MpiRoute {
  std::string transport;  // "socket" or "shm".
  std::string interface;  // Network interface for socket: "lo".
  int streams = 0;        // TCP connections per peer; 0 = the MPI chooses.
  bool yields = false;    // True if ranks share cores: a waiting rank then yields its core.
};

/// Returns the transports of this engine.
const std::vector<std::string>& transport_names();

/// Returns variables for a rank and for the launcher that allow this transport and no other.
/// @throws Error(kInvalidArgument) for a transport that this MPI does not have
EngineSettings environment_for(const MpiToolchain& tools, const MpiRoute& way);

/// Returns the library variables (MPI_T) that prove the transport in use, by the name under which they are
/// recorded.
std::vector<std::string> proofs_of(MpiImplementation kind);

/// Returns the arguments of mpirun that start `slot` once for each rank, on this machine.
std::vector<std::string> launcher_words(const MpiToolchain& tools, int ranks, bool as_root);

}  // namespace collbench::mpi
