#pragma once
// ncclGroupStart/End of a thread: what is called in between starts at the end.
#include <functional>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {

/// Checks a call and starts it, or keeps it for the end of the group. @return ncclResult_t
int submit(void* comm, void* stream, const Operation& operation);
/// Runs a job of communicators (init, split) now, or at the end of the group at the same time as the group's
/// other jobs. @return its result, kSuccess while it waits
int submit_job(const std::function<int()>& job);

}  // namespace collbench::nccl_fake
