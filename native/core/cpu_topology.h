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

/// Core and package of each CPU, read from a folder like /sys/devices/system/cpu. The core of a CPU is read
/// only once, because every wait asks for it.
class CpuTopology {
 public:
  explicit CpuTopology(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the core of the CPU, which is numbered by its lowest hardware thread. Returns the CPU itself if
  /// the kernel lists no siblings.
  [[nodiscard]] int core_of(int cpu) const;
  /// Returns the package (socket) of the CPU, or -1 if it is not known.
  [[nodiscard]] int package_of(int cpu) const { return number(cpu, "physical_package_id", -1); }
  /// Returns the CPUs that are online.
  [[nodiscard]] const cpu_set_t& online() const;
  /// Returns the cores that these CPUs belong to.
  [[nodiscard]] cpu_set_t cores_among(const cpu_set_t& cpus) const;

 private:
  /// Returns the first number in a topology file of a CPU, or `unknown` if the file has none.
  [[nodiscard]] int number(int cpu, const char* name, int unknown) const;

  std::string folder_;
  mutable std::once_flag online_read_;
  mutable cpu_set_t online_{};
  mutable std::array<std::atomic<int>, CPU_SETSIZE> cores_{};  // Core of each CPU plus 1; 0 = not read yet.
};

/// Topology of this machine, read on demand.
const CpuTopology& cpu_topology();

/// Computes `usable_cpus` for a process that may use `allowed`.
/// @param launcher CPUs that the launcher declared; empty = none
UsableCpus count_usable(const cpu_set_t& allowed, const cpu_set_t& launcher, const CpuTopology& topology);

}  // namespace collbench
