#pragma once
#include <cstdint>
#include <memory>

#include "engines/engine.h"
#include "measure/host_link.h"
#include "measure/shared_state.h"

namespace collbench::agent {

struct LinkedHosts {
  std::unique_ptr<HostLink> link;  // Link of the leader; null on other ranks.
  /// True if other hosts of the launch are in fact this machine: containers or network namespaces.
  bool shares_cores = false;
  std::uint32_t spins = 0;  // Spinner budget for this rank, computed from all ranks that share its cores.
};

/// Links the machines of a launch (measure/host_link.h); all ranks of the bootstrap call it together. The
/// first local rank is its machine's leader, and rank 0 is the root. The root listens on the interface of the
/// options, or on the socket transport's choice, only during this call. It accepts leaders that prove that
/// they know the token. Sets the shared state's spins for all ranks that share this machine's cores.
/// @throws Error(kUnavailable) no such interface, Error(kInvalidArgument) no token, Error(kProtocol) wrong
/// token, Error(kConnectionLost) not reached, Error(kTimeout) no answer, naming the leader, Error(kCancelled)
/// if the abort flag is set
LinkedHosts link_hosts(Bootstrap& bootstrap, SharedState& shared_state, int local_index,
                       const TransportOptions& options);

}  // namespace collbench::agent
