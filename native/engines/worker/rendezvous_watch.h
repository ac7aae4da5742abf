#pragma once
// Finds out from outside whether a worker has joined the others, so that programs need no change.
#include <sys/types.h>

#include "measure/shared_state.h"

namespace collbench::worker {

/// Returns kJoined if the worker or a descendant is connected to this TCP port or listens on it, which means
/// that it has joined the rendezvous of torch.distributed.
/// @param port MASTER_PORT of torch.distributed; 0 = not known
Rendezvous rendezvous_state(pid_t worker, int port);

}  // namespace collbench::worker
