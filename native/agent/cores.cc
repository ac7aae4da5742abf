#include "agent/cores.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace collbench::agent {

std::optional<std::vector<int>> choose_cores(std::size_t ranks) {
  const char* wanted = std::getenv("COLLBENCH_PIN");
  if (wanted != nullptr && std::string(wanted) == "0") return std::nullopt;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::nullopt;
  std::vector<int> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE && cores.size() < ranks; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) cores.push_back(cpu);
  if (cores.size() < ranks) return std::nullopt;
  return cores;
}

void bind_to_core(int core) noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<std::size_t>(core), &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

void unbind() noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(getppid(), sizeof cpus, &cpus) == 0)
    pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

}  // namespace collbench::agent
