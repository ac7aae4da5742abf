#pragma once
#include <string>

#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"

namespace collbench::nccl {

/// Checks that NCCL uses the requested network, because it may fall back to another one.
/// @param log updated after the communicator was created
/// @throws Error(kUnavailable) with NCCL's last messages
void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport);

}  // namespace collbench::nccl
