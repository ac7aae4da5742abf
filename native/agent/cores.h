#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace collbench::agent {

/// A core per local rank, from this process's affinity mask in ascending order; nullopt when there are fewer
/// cores than ranks or the variable COLLBENCH_PIN is 0.
std::optional<std::vector<int>> choose_cores(std::size_t ranks);

/// Binds the calling thread to one core; a refusal is no error (containers forbid it).
void bind_to_core(int core) noexcept;

/// Gives the calling thread the cores of the process that started this one: undoes what that bound it to.
void unbind() noexcept;

}  // namespace collbench::agent
