#pragma once
// Memory that rank processes of one machine share. README.md of this folder has the choices and their
// figures.
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_shm(const TransportOptions& options);

/// @throws Error(kInvalidArgument) token too short; kUnavailable ranks on several machines
std::unique_ptr<Transport> create_shm(const TransportOptions& options);

}  // namespace collbench
