#pragma once
// ncclGroupStart/End of a thread: calls in between start at the end of the group.
#include <functional>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {

/// Checks a call and starts it. Inside ncclGroupStart/End the call is kept and starts at the end of the
/// group. @returns ncclResult_t
int submit(void* comm, void* stream, const StreamOperation& operation);
/// Runs a job that needs all ranks (init, split). Inside ncclGroupStart/End the job is kept and runs at the
/// end of the group, at the same time as the group's other jobs.
/// @returns the job's result, or kSuccess if it was kept
int submit_job(const std::function<int()>& job);

}  // namespace collbench::nccl_fake
