#pragma once
// Table of workloads, and which of them an engine can run.
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engines/engine.h"
#include "workloads/workload.h"

namespace collbench {

/// Returns the workloads. CMake finds every folder with a workload.cc (cmake/rows.cmake).
std::span<const WorkloadEntry> workloads();

/// Returns the axis values of a workload that an engine with these abilities supports. If several required
/// abilities limit an axis, only values allowed by all remain. If one of several abilities suffices, values
/// allowed by any remain. Limits of axes that the workload does not have are ignored. Absent if an ability is
/// missing or an axis has no value left.
std::optional<AxisLimits> limits_of(const Abilities& abilities, const WorkloadEntry& workload);

/// Workloads that the engine supports, each with the limits of its axes: {"collective": {"dtype": ["int8",
/// ...], ...}}.
using WorkloadOffers = std::map<std::string, AxisLimits>;
WorkloadOffers offers_of(const EngineEntry& engine);

/// Creates a workload.
/// @throws Error(kInvalidArgument) for an unknown workload, or one or an axis value that the engine does not
/// support; whatever the workload's constructor throws
std::unique_ptr<Workload> create_workload(const EngineEntry& engine, const WorkloadRequest& request,
                                          const WorkloadContext& context);

/// Describes a request: "allreduce 64 MiB"; only the workload's name if its axes are invalid. Never throws.
std::string describe(const WorkloadRequest& request);

}  // namespace collbench
