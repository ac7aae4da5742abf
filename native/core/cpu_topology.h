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

/// The core and package of each CPU, read from a folder like /sys/devices/system/cpu. The core is read once
/// per CPU, because every wait asks for it.
class CpuTopology {
 public:
  explicit CpuTopology(std::string folder) : folder_(std::move(folder)) {}

  /// The core of the CPU: the lowest of the core's hardware threads. The CPU itself where the kernel lists no
  /// siblings.
  [[nodiscard]] int core_of(int cpu) const;
  /// The package (socket) of the CPU; -1 = not known.
  [[nodiscard]] int package_of(int cpu) const { return number(cpu, "physical_package_id", -1); }
  /// CPUs that are online.
  [[nodiscard]] const cpu_set_t& online() const;
  /// The cores that the CPUs belong to.
  [[nodiscard]] cpu_set_t cores_among(const cpu_set_t& cpus) const;

 private:
  /// The first number in a file on the topology of a CPU; `unknown` where the file has none.
  [[nodiscard]] int number(int cpu, const char* name, int unknown) const;

  std::string folder_;
  mutable std::once_flag online_read_;
  mutable cpu_set_t online_{};
  mutable std::array<std::atomic<int>, CPU_SETSIZE> cores_{};  // the core + 1; 0 = not read yet
};

/// The topology of this machine.
const CpuTopology& cpu_topology();

/// `usable_cpus` of a process that may use `allowed`. @param launcher empty = it declared no CPUs
UsableCpus count_usable(const cpu_set_t& allowed, const cpu_set_t& launcher, const CpuTopology& topology);

}  // namespace collbench
