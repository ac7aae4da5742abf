#pragma once
// Processes below one, as /proc lists them.
#include <sys/types.h>

#include <functional>
#include <vector>

namespace collbench {

/// The process, then its children and theirs; those that are gone are left out.
std::vector<pid_t> process_tree(pid_t root);

/// Those of this process, also those that it adopted (PR_SET_CHILD_SUBREAPER).
std::vector<pid_t> children();

/// Kills and reaps children of this process until none is left but those that are kept, or for five seconds:
/// a killed process that is still there then will stay.
void end_children(const std::function<bool(pid_t)>& is_kept);

}  // namespace collbench
