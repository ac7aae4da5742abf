#pragma once
// Control group of this process and those above it (Documentation/admin-guide/cgroup-v2.rst;
// cgroup-v1/cgroups.rst): the share of the machine that a container or job may use.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/roots.h"

namespace collbench::metrics {

/// Folders of our control group and its ancestors, ours first, in every hierarchy that may have the
/// controller ("cpu", "memory"). In a container the path may be the host's; then only the top folder exists,
/// so a folder may be absent.
std::vector<std::string> control_groups(const Roots& roots, std::string_view controller);

/// Lowest memory limit of these groups in bytes; nullopt = no limit.
std::optional<std::uint64_t> memory_limit(const Roots& roots = {});

/// Processes that the kernel killed since boot because memory ran out, in control groups too; nullopt = the
/// kernel does not report it.
std::optional<std::uint64_t> out_of_memory_kills(const Roots& roots = {});

}  // namespace collbench::metrics
