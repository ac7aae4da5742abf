#include "agent/cores.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

namespace collbench::agent {

std::vector<int> cores_of_turn(const std::vector<int>& allowed, std::size_t ranks, int turn,
                               const CpuTopology& topology) {
  // Many machines number the hardware threads of a core consecutively; two ranks on one core would halve each
  // other's speed.
  std::set<int> seen;
  std::vector<int> firsts;
  std::vector<int> siblings;
  for (const int cpu : allowed)
    (seen.insert(topology.core_of(cpu)).second ? firsts : siblings).push_back(cpu);
  std::vector<int> near;
  const int home = topology.package_of(allowed.front());
  for (const int cpu : firsts)
    if (topology.package_of(cpu) == home) near.push_back(cpu);
  std::vector<int> all = firsts;
  all.insert(all.end(), siblings.begin(), siblings.end());
  const std::vector<int>& cores = near.size() >= ranks ? near : firsts.size() >= ranks ? firsts : all;
  const std::size_t groups = std::max<std::size_t>(1, (cores.size() - 1) / ranks);
  const std::size_t first = static_cast<std::size_t>(turn) % groups * ranks;
  const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(ranks)};
}

std::optional<std::vector<int>> choose_cores(const EngineEntry* engine, const EngineSettings& settings,
                                             std::size_t ranks, int turn) {
  if (engine == nullptr || engine->has_threads || settings.contains(kChannelsSetting)) return std::nullopt;
  const char* wanted = std::getenv("COLLBENCH_PIN");
  if (wanted != nullptr && std::string(wanted) == "0") return std::nullopt;
  const cpu_set_t mask = allowed_cpus();
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) allowed.push_back(cpu);
  if (ranks == 0 || allowed.size() < ranks) return std::nullopt;
  return cores_of_turn(allowed, ranks, turn, cpu_topology());
}

void bind_to_core(int core) noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<std::size_t>(core), &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

void unbind_from_core() noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(getppid(), sizeof cpus, &cpus) == 0)
    pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

}  // namespace collbench::agent
