#pragma once
// Our control group and those above it (Documentation/admin-guide/cgroup-v2.rst; cgroup-v1/cgroups.rst): what
// a container or a job leaves us of the machine.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/roots.h"

namespace collbench::metrics {

/// Their folders, ours first, of every hierarchy that may hold the controller ("cpu", "memory"). In a
/// container the path may be that of the host: then only the top is there, so that a folder may be absent.
std::vector<std::string> control_groups(const Roots& roots, std::string_view controller);

/// The least that one of them may take, bytes; nullopt = no limit.
std::optional<std::uint64_t> memory_limit(const Roots& roots = {});

/// Processes that the kernel has killed since its start because memory ran out, in control groups too;
/// nullopt = it does not tell.
std::optional<std::uint64_t> out_of_memory_kills(const Roots& roots = {});

}  // namespace collbench::metrics
