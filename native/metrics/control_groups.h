#pragma once
// Control group of this process and those above it (Documentation/admin-guide/cgroup-v2.rst;
// cgroup-v1/cgroups.rst): the share of the machine that a container or job may use.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/kernel_file.h"

namespace collbench::metrics {

/// Returns the sysfs folders of this process's control group and of the groups above it, from the inside out.
/// `controller` is "cpu" or "memory"; all hierarchies that may have it are listed. A folder may not exist: in
/// a container the path may be the host's, and then only the top folder is visible.
std::vector<std::string> control_groups(const Roots& roots, std::string_view controller);

/// True if a control group, given by its sysfs folder, limits processor time by a quota. "max 100000"
/// (version 2) and -1 (version 1) mean no limit.
bool has_cpu_quota(const std::string& group);

/// Returns the lowest memory limit, in bytes, of this process's control group and of those above it; nullopt
/// = no limit, or none can be read.
std::optional<std::uint64_t> memory_limit(const Roots& roots = {});

/// Returns the number of processes that the kernel has killed since boot for lack of memory, those in control
/// groups included; nullopt = the kernel does not report it.
std::optional<std::uint64_t> out_of_memory_kills(const Roots& roots = {});

}  // namespace collbench::metrics
