#pragma once
// Lists a process's descendants from /proc.
#include <sys/types.h>

#include <functional>
#include <vector>

namespace collbench {

/// Returns `root` (in any case, and first) and the process ids of all its descendants, parents before their
/// children. Processes that start or end during the call may be missing or included.
std::vector<pid_t> process_tree(pid_t root);

/// Returns the process ids of this process's children. They include orphaned descendants if this process is a
/// subreaper (PR_SET_CHILD_SUBREAPER).
std::vector<pid_t> children();

/// Kills and reaps all children of this process except those for which `is_kept` returns true. Gives up after
/// five seconds, because a killed process that still exists then does not end at all.
void end_children(const std::function<bool(pid_t)>& is_kept);

}  // namespace collbench
