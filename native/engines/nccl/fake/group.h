#pragma once
// ncclGroupStart/End of a thread: calls in between start at the end of the group.
#include <functional>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {

/// Checks a call and starts it, or keeps it for the end of the group. @return ncclResult_t
int submit(void* comm, void* stream, const StreamOperation& operation);
/// Runs a job on communicators (init, split) now, or at the end of the group together with its other jobs.
/// @return its result, or kSuccess if it waits
int submit_job(const std::function<int()>& job);

}  // namespace collbench::nccl_fake
