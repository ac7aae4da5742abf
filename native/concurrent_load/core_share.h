#pragma once
// Chooses the cores on which the concurrent load of a rank runs.
#include <optional>
#include <vector>

namespace collbench::concurrent_load {

/// Returns the cores on which the concurrent load of one rank may run: its share of the machine's cores.
/// Cores to which no rank is bound come first, the rank's own core comes last. So a load with fewer threads
/// than cores does not use the rank's core; a load with as many threads competes with the rank for it.
/// @param allowed CPUs that may be used, ascending
/// @param own core to which each local rank is bound; nullopt = not bound
/// @returns an empty list only if `allowed` is empty; with more ranks than cores, ranks share cores
std::vector<int> cores_of_share(const std::vector<int>& allowed, const std::vector<std::optional<int>>& own,
                                std::size_t local_rank);

/// Returns the cores on which a thread may run, ascending; empty if the kernel does not report them.
/// @param thread id of the thread; 0 = the calling thread
std::vector<int> cores_of_thread(int thread);

}  // namespace collbench::concurrent_load
