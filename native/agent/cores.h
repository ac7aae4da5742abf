#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/cpu_topology.h"
#include "engines/engine.h"

namespace collbench::agent {

/// Chooses a core for each local rank from this process's affinity mask. Returns nullopt if there are fewer
/// cores than ranks, or if COLLBENCH_PIN is 0. Ranks whose engine has its own threads (has_threads, or by its
/// settings) are not bound either.
/// @param engine nullptr if it is not known
std::optional<std::vector<int>> choose_cores(const EngineEntry* engine, const EngineSettings& settings,
                                             std::size_t ranks, int turn);

/// Chooses `ranks` cores of one package for launch number `turn`; each launch takes the next ones, wrapping
/// around. Launches repeat a measurement, so peculiarities of two cores (interrupts, the host of a virtual
/// machine) must not affect all of them. One core is left free for other processes if that costs no launch
/// its own cores. Second hardware threads are used only if there are fewer cores than ranks.
/// @param allowed CPUs, ascending, at least `ranks`
std::vector<int> cores_of_turn(const std::vector<int>& allowed, std::size_t ranks, int turn,
                               const CpuTopology& topology);

/// Binds the calling thread to one core. A refusal is no error, because containers forbid it.
void bind_to_core(int core) noexcept;

/// Gives the calling thread back the cores of the process that started this one.
void unbind_from_core() noexcept;

}  // namespace collbench::agent
