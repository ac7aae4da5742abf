#pragma once
// Finds out from outside whether a worker has joined the others, so that programs need no change.
#include <sys/types.h>

#include "measure/shared_state.h"

namespace collbench::worker {

/// Returns kJoined if the process or a descendant has a TCP connection to this port, or listens there.
/// @param port MASTER_PORT of torch.distributed; 0 = not known
Rendezvous rendezvous_state(pid_t worker, int port);

}  // namespace collbench::worker
