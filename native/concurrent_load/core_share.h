#pragma once
// Chooses the cores on which the concurrent load of a rank runs.
#include <optional>
#include <vector>

namespace collbench::concurrent_load {

/// Returns the cores for the load of one rank: its share of the machine's cores. Cores that no rank is bound
/// to come first, dealt out in turn; the rank's own core comes last. So a load with fewer threads than cores
/// leaves the rank its core. A load with as many threads takes turns with the rank.
/// @param allowed CPUs that may be used, ascending
/// @param own core that each local rank is bound to; nullopt = not bound
/// @returns a list that is empty only if `allowed` is; ranks that outnumber the cores share them
std::vector<int> cores_of_share(const std::vector<int>& allowed, const std::vector<std::optional<int>>& own,
                                std::size_t local_rank);

/// Returns the cores on which a thread may run, ascending; empty if the kernel does not tell.
/// @param thread 0 = the calling thread
std::vector<int> cores_of_thread(int thread);

}  // namespace collbench::concurrent_load
