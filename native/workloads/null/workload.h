#pragma once
// Waiting is the unit of work: what is measured beside `waitNs` is the cost of measuring. For tests. Verified
// by counting the waits.
#include <memory>
#include <string>

#include "workloads/workload.h"

namespace collbench {

std::unique_ptr<Workload> create_null(const WorkloadContext& context, const Axes& axes);
std::string null_in_words(const Axes& axes);

}  // namespace collbench
