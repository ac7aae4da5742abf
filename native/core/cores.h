#pragma once
#include <sched.h>

namespace collbench {

/// Environment variable with the CPUs that the agent may use, for its ranks: "0,1,5". A rank that is bound to
/// one core learns only from this variable which cores the other ranks have. Ranks that another launcher
/// started have no such variable.
inline constexpr const char* kCpusVariable = "COLLBENCH_CPUS";

/// Sets the variable to the CPUs of this process. A launcher of ranks calls this before it has threads.
void declare_cores();

/// CPUs that the calling thread may use. The kernel leaves out those outside its cpuset group.
cpu_set_t allowed_cpus() noexcept;

struct UsableCpus {
  int cores = 1;
  int threads = 1;  // Number of hardware threads, which are the CPUs as the kernel numbers them.
};

/// Returns the CPUs that this process and the other ranks of the machine may use. A process bound to a single
/// core does not see the others' cores; for it the launcher's CPUs count, or all of the machine.
UsableCpus usable_cpus() noexcept;
inline int usable_cores() noexcept { return usable_cpus().cores; }

/// Unbinds the calling helper thread from its rank's core, so that it may run on any CPU of the launcher. On
/// the rank's core the two would take turns of milliseconds. The kernel keeps the limits of the container.
void use_any_core() noexcept;

}  // namespace collbench
