#pragma once
// Memory shared by rank processes of one machine. README.md in this folder has the design choices and
// figures.
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_shm(const TransportOptions& options);

/// Makes the transport. Unless COLLBENCH_SHM_COPIES=2 is set, other processes of this user may read this
/// process's memory afterwards.
/// @throws Error(kInvalidArgument) if the token is too short; Error(kUnavailable) if ranks run on several
/// machines
std::unique_ptr<Transport> create_shm(const TransportOptions& options);

}  // namespace collbench
