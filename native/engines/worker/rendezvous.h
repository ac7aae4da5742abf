#pragma once
#include "engines/worker/framework.h"

namespace collbench::worker {

/// Returns the environment variables that torchrun sets, with which torch.distributed ranks find each other
/// (env://). They also name the interface, because Gloo would otherwise listen on the address of the host's
/// name.
EngineSettings torchrun_variables(const WorkerAddresses& addresses);

}  // namespace collbench::worker
