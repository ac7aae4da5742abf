#pragma once
#include <cstdint>
#include <memory>

#include "engines/engine.h"
#include "measure/board.h"
#include "measure/host_link.h"

namespace collbench::agent {

struct LinkedHosts {
  std::unique_ptr<HostLink> link;  // the leader's; null on other ranks
  bool shares_cores = false;       // other hosts of the launch are this very machine: containers, namespaces
  std::uint32_t spins = 0;         // for the waits of this rank, by the ranks that share its cores
};

/// Ties the machines of a launch together (measure/host_link.h). All ranks of the bootstrap call it, at the
/// same time; the first of each board is its machine's leader, rank 0 the root. The root listens on the
/// interface that the options name, or on the one that socket would choose, until all leaders have proven
/// that they know the token, and not beyond this call. The board's spins are set for all ranks that really
/// share its cores.
/// @throws Error(kUnavailable) no such interface, Error(kInvalidArgument) no token, Error(kProtocol) another
///   token, Error(kConnectionLost) not reached, Error(kTimeout) no answer or a leader that does not come, by
///   name; Error(kCancelled) when the board's abort is raised
LinkedHosts link_hosts(Bootstrap& bootstrap, Board& board, int board_index, const TransportOptions& options);

}  // namespace collbench::agent
