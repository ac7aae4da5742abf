#pragma once
// Which cores of a machine the load of a rank works on.
#include <optional>
#include <vector>

namespace collbench::beside {

/// The machine's cores dealt out to its ranks: those that no rank is bound to first, one after the other,
/// then the rank's own. So a load of fewer threads than the share leaves the rank its core, and one of as
/// many takes turns with it.
/// @param allowed ascending; @param own the core that each local rank is bound to; nullopt = it is bound to
/// none
/// @returns never empty where `allowed` is not: ranks that outnumber the cores share them
std::vector<int> cores_of_share(const std::vector<int>& allowed, const std::vector<std::optional<int>>& own,
                                std::size_t local_rank);

/// Cores of a thread, ascending. @param thread 0 = this one; empty where the kernel does not say
std::vector<int> cores_of_thread(int thread);

}  // namespace collbench::beside
