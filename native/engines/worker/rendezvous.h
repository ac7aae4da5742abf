#pragma once
#include "engines/worker/framework.h"

namespace collbench::worker {

/// Variables by which ranks find each other as torchrun sets them (env:// of torch.distributed); Gloo would
/// otherwise listen where the host's name resolves to.
Settings torchrun_variables(const Meeting& meeting);

}  // namespace collbench::worker
