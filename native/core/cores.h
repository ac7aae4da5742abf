#pragma once
#include <sched.h>
#include <unistd.h>

#include <cstddef>

namespace collbench {

/// Cores that this process and its like may use. A process pinned to a single core says nothing about the
/// others' cores; then those of the machine count.
inline int usable_cores() noexcept {
  cpu_set_t allowed;
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return cores > 1 ? cores : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

/// For a thread that works beside a rank: where the rank is bound to one core, the thread may run on any, or
/// the two would take turns of milliseconds. The kernel keeps to what the container allows.
inline void use_any_core() noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) return;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace collbench
