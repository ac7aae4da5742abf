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

/// Returns all workloads. CMake finds them: every folder of native/workloads with a workload.cc
/// (cmake/rows.cmake).
std::span<const WorkloadEntry> workloads();

/// Returns the axis values of a workload that an engine with these abilities supports. An axis that several
/// required abilities limit keeps only the values that all of them allow. An axis limited by alternative
/// abilities keeps the values that any of them allows. Limits of axes that the workload does not have are
/// ignored. Absent if a required ability or all alternative ones are missing, or an axis has no value left.
std::optional<AxisLimits> limits_of(const Abilities& abilities, const WorkloadEntry& workload);

/// Workloads that an engine supports, each with the limits of its axes: {"collective": {"dtype": ["int8",
/// ...], ...}}.
using WorkloadOffers = std::map<std::string, AxisLimits>;
WorkloadOffers offers_of(const EngineEntry& engine);

/// Creates the workload of a request for one rank.
/// @throws Error(kInvalidArgument) if the workload is unknown, or the engine supports neither it nor one of
/// its axis values; errors of the workload's constructor
std::unique_ptr<Workload> create_workload(const EngineEntry& engine, const WorkloadRequest& request,
                                          const WorkloadContext& context);

/// Returns a request as text for messages: "allreduce 64 MiB"; only the workload's name if its axes are
/// invalid. Never throws.
std::string describe(const WorkloadRequest& request);

}  // namespace collbench
