#pragma once
#include <string>

#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"

namespace collbench::nccl {

/// Checks in NCCL's log that NCCL uses the requested network, because it may silently use another one.
/// @param environment variables that request the network
/// @param log must have been updated after the communicator was created
/// @throws Error(kUnavailable) with NCCL's last messages if another network is in use
void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport);

}  // namespace collbench::nccl
