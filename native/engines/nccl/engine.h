#pragma once
#include <memory>

#include "engines/engine.h"

namespace collbench {
/// NCCL on one GPU per rank, every vendor library opened at run time (engines/nccl/README.md).
/// @throws Error as the parts do: settings, libraries, device, communicator
std::unique_ptr<Engine> create_nccl_engine(Bootstrap& bootstrap, const EngineOptions& options);
Abilities abilities_of_nccl();
}  // namespace collbench
