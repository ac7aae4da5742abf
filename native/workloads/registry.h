#pragma once
// The table of workloads, and which of them an engine can run.
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engines/engine.h"
#include "workloads/workload.h"

namespace collbench {

/// Every folder here, as CMake finds them (cmake/rows.cmake).
std::span<const WorkloadEntry> workloads();

/// What an engine with these abilities takes of a workload: of axes that several abilities limit, the values
/// that all of them have, and of those of which one is enough the values that any has; limits of axes that
/// the workload does not have are left out. Absent: an ability is missing, or an axis has no value left.
std::optional<Limits> limits_of(const Abilities& abilities, const WorkloadEntry& workload);

/// Workloads that need no more than the engine has, each with the limits of its axes:
/// {"collective": {"dtype": ["int8", ...], ...}}.
using Offers = std::map<std::string, Limits>;
Offers offers_of(const EngineEntry& engine);

/// @throws Error(kInvalidArgument) for a workload that does not exist, or one or a value of an axis that the
/// engine does not offer; what the workload's constructor throws
std::unique_ptr<Workload> create_workload(const EngineEntry& engine, const WorkloadRequest& request,
                                          const WorkloadContext& context);

/// "allreduce 64 MiB"; the workload's name where its axes cannot be. Never throws.
std::string in_words(const WorkloadRequest& request);

}  // namespace collbench
