#pragma once
// Whether a worker has found the others: seen from outside, so that a program needs no change.
#include <sys/types.h>

#include "measure/board.h"

namespace collbench::worker {

/// kThere: the process, or one below it, has a TCP connection to this port, or listens there.
/// @param port MASTER_PORT of torch.distributed; 0 = none is known
Rendezvous meeting_of(pid_t worker, int port);

}  // namespace collbench::worker
