#pragma once
#include <sched.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace collbench {

/// What the agent may use itself, for its ranks: "0,1,5". A rank bound to one core cannot know of the others
/// otherwise; a library inside another launcher's ranks has no such word.
inline constexpr const char* kCpusVariable = "COLLBENCH_CPUS";

/// To be called by a launcher of ranks before it has threads: its cores are all that they may use.
inline void declare_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::string cpus;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cpus += (cpus.empty() ? "" : ",") + std::to_string(core);
  setenv(kCpusVariable, cpus.c_str(), 1);
}

/// Cores of the launcher; none where it is silent.
inline cpu_set_t cores_of_launcher() noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const char* words = std::getenv(kCpusVariable);
  while (words != nullptr && *words >= '0' && *words <= '9') {
    char* end = nullptr;
    const unsigned long core = std::strtoul(words, &end, 10);
    if (core < CPU_SETSIZE) CPU_SET(core, &cpus);
    words = *end == ',' ? end + 1 : nullptr;
  }
  return cpus;
}

/// Cores that this process and its like may use. A process pinned to a single core says nothing about the
/// others' cores; then those of its launcher count, or of the machine.
inline int usable_cores() noexcept {
  cpu_set_t allowed;
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  if (cores > 1) return cores;
  const cpu_set_t others = cores_of_launcher();
  return CPU_COUNT(&others) > 0 ? CPU_COUNT(&others) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

/// For a thread that works beside a rank: where the rank is bound to one core, the thread may run on any that
/// its launcher may use, or the two would take turns of milliseconds. The kernel keeps to what the container
/// allows.
inline void use_any_core() noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) return;
  cpu_set_t others = cores_of_launcher();
  if (CPU_COUNT(&others) == 0)
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &others);
  sched_setaffinity(0, sizeof others, &others);
}

}  // namespace collbench
