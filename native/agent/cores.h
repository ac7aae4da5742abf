#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/cpu_topology.h"
#include "engines/engine.h"

namespace collbench::agent {

/// A core per local rank, from this process's affinity mask; nullopt when there are fewer cores than ranks or
/// the variable COLLBENCH_PIN is 0. Ranks whose engine has threads of its own, or gets some by its settings,
/// are not bound.
/// @param engine nullptr where it is not known
std::optional<std::vector<int>> choose_cores(const EngineEntry* engine, const Settings& settings,
                                             std::size_t ranks, int turn);

/// Launches repeat a measurement, so what is special about two cores (interrupts, what the host of a virtual
/// machine does with them) must not be in all of them: launch `turn` has the next `ranks` cores of the same
/// package, and after the last ones the first again. One core is left to others where that costs no launch
/// its own. A second thread of a core is taken only where there are fewer cores than ranks.
/// @param allowed CPUs, ascending, at least `ranks`
std::vector<int> cores_of_turn(const std::vector<int>& allowed, std::size_t ranks, int turn,
                               const CpuTopology& topology);

/// Binds the calling thread to one core; a refusal is no error (containers forbid it).
void bind_to_core(int core) noexcept;

/// Gives the calling thread the cores of the process that started this one: undoes what that bound it to.
void unbind() noexcept;

}  // namespace collbench::agent
