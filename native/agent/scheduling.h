#pragma once
// Processor time of a rank beside other processes: its priority, and control groups with a quota.
#include <string>

#include "metrics/kernel_file.h"

namespace collbench::agent {

/// Nice value of ranks with --priority high: the highest priority of ordinary scheduling. Real-time
/// scheduling is never used, because a rank that polls would stop the machine.
inline constexpr int kHighPriorityNice = -20;

/// Gives the calling thread, and threads that it starts later, the highest ordinary priority. Where the
/// kernel groups processes by session (autogroup), the agent's session gets it, too, because otherwise nice
/// values count only within a session.
/// @throws Error(kUnavailable) if the kernel does not permit it
void raise_priority(const metrics::Roots& roots = {});

/// Moves the calling process out of all control groups that limit its processor time by a quota; does nothing
/// without such a group.
/// @throws Error(kUnavailable) if the kernel does not permit it, or the group above is not visible
void leave_cpu_quota(const metrics::Roots& roots = {});

}  // namespace collbench::agent
