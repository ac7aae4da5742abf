#pragma once
#include "engines/nccl/communicator.h"

namespace collbench::nccl {

/// Queues one call of ours as calls of NCCL's. What NCCL has no function for, in this version or at all, is
/// made of grouped sends and receives. @throws Error
void queue_call(Communicator& comm, const Call& call, int rank, int ranks, void* stream);

}  // namespace collbench::nccl
