#pragma once
// ncclGroupStart/End of a thread: calls in between start at the end of the group.
#include <functional>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {

/// Checks one NCCL call (collective, send or receive) and starts it on the stream. Inside ncclGroupStart/End
/// it is kept and starts at the end of the group. @returns ncclResult_t
int submit(void* comm, void* stream, const StreamOperation& operation);
/// Runs a function that needs all ranks (ncclCommInitRank, ncclCommSplit). Inside ncclGroupStart/End it is
/// kept and runs at the end of the group, at the same time as others of its kind.
/// @returns its result, or kSuccess if it was kept
int submit_job(const std::function<int()>& job);

}  // namespace collbench::nccl_fake
