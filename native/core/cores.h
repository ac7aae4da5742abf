#pragma once
#include <sched.h>

namespace collbench {

/// CPUs that the agent may use itself, for its ranks: "0,1,5". A rank bound to one core learns of the other
/// ranks' cores only from this variable. A library in ranks of another launcher has no such variable.
inline constexpr const char* kCpusVariable = "COLLBENCH_CPUS";

/// Sets the variable to the CPUs of this process. A launcher of ranks calls this before it has threads.
void declare_cores();

/// CPUs that the calling thread may use. The kernel leaves out those outside its cpuset group.
cpu_set_t allowed_cpus() noexcept;

struct UsableCpus {
  int cores = 1;
  int threads = 1;  // hardware threads: CPUs as the kernel numbers them
};

/// CPUs that this process and the ranks beside it may use. A process bound to a single core knows nothing of
/// the others' cores; then those of its launcher count, or of the machine.
UsableCpus usable_cpus() noexcept;
inline int usable_cores() noexcept { return usable_cpus().cores; }

/// For a thread that works beside a rank: where the rank is bound to one CPU, the thread may run on any that
/// its launcher may use, or the two would take turns of milliseconds. The kernel keeps to what the container
/// allows.
void use_any_core() noexcept;

}  // namespace collbench
