#include "core/cpu_topology.h"

#include <unistd.h>

#include <fstream>

namespace collbench {

int CpuTopology::number(int cpu, const char* name, int unknown) const {
  std::ifstream file(folder_ + "/cpu" + std::to_string(cpu) + "/topology/" + name);
  int number = unknown;
  return file >> number ? number : unknown;
}

int CpuTopology::core_of(int cpu) const {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return cpu;
  std::atomic<int>& core = cores_[static_cast<std::size_t>(cpu)];
  // The file holds "0,64" or "0-1"; its first number is the lowest hardware thread.
  if (core.load(std::memory_order_relaxed) == 0)
    core.store(number(cpu, "thread_siblings_list", cpu) + 1, std::memory_order_relaxed);
  return core.load(std::memory_order_relaxed) - 1;
}

const cpu_set_t& CpuTopology::online() const {
  std::call_once(online_read_, [this] {
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (access((folder_ + "/cpu" + std::to_string(cpu) + "/topology").c_str(), F_OK) == 0)
        CPU_SET(cpu, &online_);
    if (CPU_COUNT(&online_) > 0) return;
    // This value replaces /sys in a container that has none.
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (std::size_t cpu = 0; cpu < static_cast<std::size_t>(online > 0 ? online : 1); ++cpu)
      CPU_SET(cpu, &online_);
  });
  return online_;
}

cpu_set_t CpuTopology::cores_among(const cpu_set_t& cpus) const {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &cpus))
      CPU_SET(static_cast<std::size_t>(core_of(cpu)), &cores);
  return cores;
}

const CpuTopology& cpu_topology() {
  static const CpuTopology topology("/sys/devices/system/cpu");
  return topology;
}

UsableCpus count_usable(const cpu_set_t& allowed, const cpu_set_t& launcher, const CpuTopology& topology) {
  const auto count = [&](const cpu_set_t& cpus) {
    const cpu_set_t cores = topology.cores_among(cpus);
    return UsableCpus{CPU_COUNT(&cores), CPU_COUNT(&cpus)};
  };
  const UsableCpus own = count(allowed);
  if (own.cores > 1) return own;
  return count(CPU_COUNT(&launcher) > 0 ? launcher : topology.online());
}

}  // namespace collbench
