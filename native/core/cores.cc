#include "core/cores.h"

#include <cstddef>
#include <cstdlib>
#include <string>

#include "core/cpu_topology.h"

namespace collbench {
namespace {

/// Returns the CPUs that the launcher of this process declared in COLLBENCH_CPUS; empty if it declared none.
/// Reading ends at the first text that is no number; numbers from CPU_SETSIZE on are left out.
cpu_set_t cpus_of_launcher() noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const char* words = std::getenv(kCpusVariable);
  while (words != nullptr && *words >= '0' && *words <= '9') {
    char* end = nullptr;
    const unsigned long cpu = std::strtoul(words, &end, 10);
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
    words = *end == ',' ? end + 1 : nullptr;
  }
  return cpus;
}

}  // namespace

cpu_set_t allowed_cpus() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
  return allowed;
}

void declare_cores() {
  const cpu_set_t allowed = allowed_cpus();
  if (CPU_COUNT(&allowed) == 0) return;
  std::string cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  setenv(kCpusVariable, cpus.c_str(), 1);
}

UsableCpus usable_cpus() noexcept { return count_usable(allowed_cpus(), cpus_of_launcher(), cpu_topology()); }

void use_any_core() noexcept {
  const cpu_set_t allowed = allowed_cpus();
  if (CPU_COUNT(&allowed) != 1) return;
  cpu_set_t others = cpus_of_launcher();
  if (CPU_COUNT(&others) == 0)
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &others);
  sched_setaffinity(0, sizeof others, &others);
}

}  // namespace collbench
