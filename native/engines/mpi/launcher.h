#pragma once
// Variables and arguments that make an MPI use a transport, and how its launcher is called. Starts nothing.
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/mpi/toolchain.h"

namespace collbench::mpi {

struct MpiRoute {
  std::string transport;  // One of transport_names().
  std::string interface;  // Network interface for socket and ucx: "lo".
  int streams = 0;        // TCP connections per peer; 0 = the MPI chooses.
  bool yields = false;    // True if ranks share cores: a waiting rank then yields its core.
};

/// Returns the names of the transports over which this project runs MPI: "socket", "shm" and "ucx".
const std::vector<std::string>& transport_names();

/// Name of the transport that is UCX over TCP.
inline constexpr const char* kUcx = "ucx";

/// Returns true if this transport of MPI uses a network interface.
[[nodiscard]] bool uses_interface(const std::string& transport) noexcept;

/// Returns environment variables, for the ranks and for mpirun. With them MPI uses the transport in `way`
/// (TCP, shared memory or UCX) and no other.
/// @throws Error(kInvalidArgument) for another transport and for streams outside of 0 to 16; for streams
/// unless TCP is moved by Open MPI itself; for UCX if the MPI never uses it
EngineSettings environment_for(const MpiToolchain& tools, const MpiRoute& way);

/// Returns the names of MPI library variables (MPI_T) whose values show which transport is in use. The
/// results record them under these names.
std::vector<std::string> proofs_of(MpiImplementation kind);

/// The ranks of one host, which MPI's launcher numbers consecutively.
struct MpiHostShare {
  std::string address;  // By which other hosts reach this one; kThisHost if all ranks are on one machine.
  std::string slot;     // Path of the slot program there.
  int ranks = 0;
};
inline constexpr const char* kThisHost = "localhost";

/// Returns the words of the command that starts one slot program per rank. MPI's rank numbers follow
/// the order of `shares`. On other hosts the launcher's daemon is started through the slot program of the
/// first share.
/// @param names argument of every slot program: the sockets of the ranks
/// @param as_root true if the user is root, which some MPIs must be told to allow
std::vector<std::string> launcher_words(const MpiToolchain& tools, const std::vector<MpiHostShare>& shares,
                                        const std::string& names, bool as_root);

/// Returns the variables with which the launcher uses ranks' hosts and our slot program, and not the hosts or
/// the start commands of a batch system. Only Open MPI needs variables for that; for others there are none.
/// @param slot path of the slot program on this host
/// @param interface network interface for the daemons; "" = the launcher chooses
EngineSettings launcher_environment(const MpiToolchain& tools, const std::string& slot,
                                    const std::string& interface);

}  // namespace collbench::mpi
