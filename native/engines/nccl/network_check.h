#pragma once
#include <string>

#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"

namespace collbench::nccl {

/// NCCL may settle for another network where the one asked for cannot start; nobody must measure that.
/// @param log updated after the communicator was made
/// @throws Error(kUnavailable) with NCCL's last words
void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport);

}  // namespace collbench::nccl
