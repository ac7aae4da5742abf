#pragma once
// Processes below one, as /proc lists them.
#include <sys/types.h>

#include <vector>

namespace collbench {

/// The process, then its children and theirs; those that are gone are left out.
std::vector<pid_t> process_tree(pid_t root);

}  // namespace collbench
