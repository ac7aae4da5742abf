#pragma once
#include <cstdint>
#include <memory>

#include "engines/engine.h"
#include "measure/host_link.h"
#include "measure/shared_state.h"

namespace collbench::agent {

struct LinkedHosts {
  std::unique_ptr<HostLink> link;  // Link of the leader; null on other ranks.
  /// True if other hosts of the launch are containers or network namespaces on this same machine, so that
  /// their ranks use the same cores.
  bool shares_cores = false;
  std::uint32_t spins = 0;  // Spinner budget for this rank, computed from all ranks that share its cores.
};

/// Connects the machines of a launch (measure/host_link.h); all ranks must call it together. The first local
/// rank is the leader of its machine, and rank 0 is the root. The root listens during this call only, on the
/// interface in the options or the one that the socket transport chooses. It accepts only leaders that prove
/// that they know the token of the launch. Also sets SharedState::spins (polls before a waiting rank yields
/// its core) from the number of all ranks that use this machine's cores.
/// @throws Error(kUnavailable) if there is no such interface; kInvalidArgument: no token; kProtocol: wrong
/// token; kConnectionLost: root not reached; kTimeout: a leader or the root did not answer within 15 s (the
/// message names it); kCancelled: the abort flag is set
LinkedHosts link_hosts(Bootstrap& bootstrap, SharedState& shared_state, int local_index,
                       const TransportOptions& options);

}  // namespace collbench::agent
