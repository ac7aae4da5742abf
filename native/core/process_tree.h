#pragma once
// Lists a process's descendants from /proc.
#include <sys/types.h>

#include <functional>
#include <vector>

namespace collbench {

/// Returns the process and all its descendants; processes that have ended are left out.
std::vector<pid_t> process_tree(pid_t root);

/// Returns this process's children, including those it adopted as subreaper (PR_SET_CHILD_SUBREAPER).
std::vector<pid_t> children();

/// Kills and reaps all children except those for which `is_kept` is true. Gives up after five seconds: a
/// killed process that is still there then does not end at all.
void end_children(const std::function<bool(pid_t)>& is_kept);

}  // namespace collbench
