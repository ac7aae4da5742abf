#pragma once
#include "engines/worker/framework.h"

namespace collbench::worker {

/// Returns the variables that torchrun sets for ranks to find each other (env:// of torch.distributed).
/// Without them, Gloo would listen on the address of the host's name.
EngineSettings torchrun_variables(const WorkerAddresses& addresses);

}  // namespace collbench::worker
