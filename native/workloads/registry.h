#pragma once
// The table of workloads, and what decides whether an engine can run one.
#include <memory>
#include <span>
#include <string>

#include "engines/engine.h"
#include "workloads/workload.h"

namespace collbench {

std::span<const WorkloadEntry> workloads();

/// @throws Error(kInvalidArgument) for a workload that does not exist, or one or a value of an axis that the
/// engine does not offer; what the workload's constructor throws
std::unique_ptr<Workload> create_workload(const EngineEntry& engine, const WorkloadRequest& request,
                                          const WorkloadContext& context);

/// "allreduce 64 MiB"; the workload's name where its axes cannot be. Never throws.
std::string in_words(const WorkloadRequest& request);

}  // namespace collbench
