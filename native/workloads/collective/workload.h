#pragma once
// One call of a collective is the unit of work. Axes: collective, dtype, op (null where nothing is reduced),
// root (null where there is none), inPlace, bytes (S of the bandwidth formulas).
#include <memory>
#include <string>

#include "workloads/workload.h"

namespace collbench {

std::unique_ptr<Workload> create_collective(const WorkloadContext& context, const Axes& axes);
std::string collective_in_words(const Axes& axes);

}  // namespace collbench
