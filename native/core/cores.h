#pragma once
#include <sched.h>

namespace collbench {

/// Name of the environment variable with which the agent tells its ranks all CPUs that the agent may use:
/// "0,1,5". A rank bound to one core cannot find out otherwise which CPUs the other ranks have. Ranks started
/// by another launcher do not have the variable.
inline constexpr const char* kCpusVariable = "COLLBENCH_CPUS";

/// Sets the variable kCpusVariable to the CPUs that the calling thread may use. Does nothing if the kernel
/// does not tell them. A process that starts ranks calls this while it has only one thread.
void declare_cores();

/// Returns the CPUs that the calling thread may use; empty if the kernel does not tell them. CPUs outside of
/// its cpuset cgroup are not included.
cpu_set_t allowed_cpus() noexcept;

struct UsableCpus {
  int cores = 1;
  int threads = 1;  // Number of hardware threads, which are the CPUs as the kernel numbers them.
};

/// Returns how many cores and hardware threads this process and the other ranks of the machine may use. A
/// thread bound to a single core does not know the cores of the other ranks. Then the CPUs of the launcher
/// count, or all online ones if there is no launcher.
UsableCpus usable_cpus() noexcept;
inline int usable_cores() noexcept { return usable_cpus().cores; }

/// Allows the calling helper thread to run on any CPU of the launcher, or of the machine if there is no
/// launcher. Does nothing unless the thread is bound to a single CPU, which is then its rank's CPU. There the
/// kernel would let thread and rank run in turns of milliseconds. Limits of a container still apply; if the
/// kernel refuses, the thread stays where it is.
void use_any_core() noexcept;

}  // namespace collbench
