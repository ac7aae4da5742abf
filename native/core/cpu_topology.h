#pragma once
// Hardware threads and the cores that they belong to, as the kernel lists them.
#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "core/cores.h"

namespace collbench {

/// Core and package of each CPU, read from a folder such as /sys/devices/system/cpu. The core of a CPU is
/// read once and kept, so that later calls need no system call.
class CpuTopology {
 public:
  explicit CpuTopology(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the core that a CPU (hardware thread) belongs to. A core has the number of its lowest hardware
  /// thread. Returns `cpu` if the kernel lists no siblings or no such CPU is possible.
  [[nodiscard]] int core_of(int cpu) const;
  /// Returns the number of the package (socket) that a CPU belongs to; -1 = not known.
  [[nodiscard]] int package_of(int cpu) const { return number(cpu, "physical_package_id", -1); }
  /// Returns the CPUs (hardware threads) of the machine that are online, as read by the first call. If the
  /// folder lists none, returns as many CPUs as sysconf() counts, numbered from 0.
  [[nodiscard]] const cpu_set_t& online() const;
  /// Returns the set of cores that these CPUs belong to, each by the number of its lowest hardware thread.
  [[nodiscard]] cpu_set_t cores_among(const cpu_set_t& cpus) const;

 private:
  /// Returns the first number in the file `name` of a CPU's topology folder; `unknown` if there is none.
  [[nodiscard]] int number(int cpu, const char* name, int unknown) const;

  std::string folder_;
  mutable std::once_flag online_read_;
  mutable cpu_set_t online_{};
  mutable std::array<std::atomic<int>, CPU_SETSIZE> cores_{};  // Core of each CPU plus 1; 0 = not read yet.
};

/// Returns the topology of this machine. There is one object per process. It reads a value from the kernel
/// when that is first needed.
const CpuTopology& cpu_topology();

/// Returns how many cores and hardware threads the ranks of a machine may use, from the CPUs of one of them.
/// Counts `allowed` if these CPUs belong to more than one core. Otherwise counts `launcher`, or all online
/// CPUs if `launcher` is empty.
/// @param allowed CPUs that the calling rank may use
/// @param launcher CPUs that the launcher declared (kCpusVariable); empty = none
UsableCpus count_usable(const cpu_set_t& allowed, const cpu_set_t& launcher, const CpuTopology& topology);

}  // namespace collbench
