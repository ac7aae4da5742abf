#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/cpu_topology.h"
#include "engines/engine.h"

namespace collbench::agent {

/// Chooses one core for each of `ranks` ranks, among the CPUs that this process may use. Returns nullopt, so
/// that ranks are not bound, if there are fewer CPUs than ranks, COLLBENCH_PIN is 0, or the engine has more
/// threads than the rank's own (EngineEntry::has_threads, or the setting `channels`).
/// @param engine engine of the ranks; null (not in this build) also gives nullopt
/// @param settings settings of the engine
/// @param ranks number of ranks that use the cores, also those of other launches on this machine
/// @param turn number of the launch, see cores_of_turn()
std::optional<std::vector<int>> choose_cores(const EngineEntry* engine, const EngineSettings& settings,
                                             std::size_t ranks, int turn);

/// Chooses `ranks` cores for launch number `turn`: from the package of the first allowed CPU if it has that
/// many, otherwise from all. Each launch gets the cores after those of the previous one, beginning again
/// after the last. Reason: launches repeat a measurement, and a peculiarity of two cores (interrupts, other
/// virtual machines) must not affect all of them. At least one core stays free for other processes unless
/// `ranks` needs them all. So with fewer than 2 * ranks + 1 cores all launches get the same ones. Second
/// hardware threads are used only if there are fewer cores than ranks.
/// @param allowed CPUs to choose from, ascending, at least `ranks`
/// @param turn number of the launch, from 0
std::vector<int> cores_of_turn(const std::vector<int>& allowed, std::size_t ranks, int turn,
                               const CpuTopology& topology);

/// Binds the calling thread to one core. If the kernel refuses, nothing happens, because containers may
/// forbid binding.
void bind_to_core(int core) noexcept;

/// Allows the calling thread to run on all CPUs of the process that started this one.
void unbind_from_core() noexcept;

}  // namespace collbench::agent
