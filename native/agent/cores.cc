#include "agent/cores.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace collbench::agent {

namespace {

/// -1 where the kernel does not say.
int package_of_core(int core) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/physical_package_id");
  int package = -1;
  return file >> package ? package : -1;
}

}  // namespace

std::vector<int> cores_of_turn(const std::vector<int>& allowed, std::size_t ranks, int turn,
                               const std::function<int(int)>& package_of) {
  std::vector<int> near;
  const int home = package_of(allowed.front());
  for (const int core : allowed)
    if (package_of(core) == home) near.push_back(core);
  const std::vector<int>& cores = near.size() < ranks ? allowed : near;
  const std::size_t groups = std::max<std::size_t>(1, (cores.size() - 1) / ranks);
  const std::size_t first = static_cast<std::size_t>(turn) % groups * ranks;
  const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(ranks)};
}

std::optional<std::vector<int>> choose_cores(const EngineEntry* engine, const Settings& settings,
                                             std::size_t ranks, int turn) {
  if (engine == nullptr || engine->has_threads || settings.contains(kChannelsSetting)) return std::nullopt;
  const char* wanted = std::getenv("COLLBENCH_PIN");
  if (wanted != nullptr && std::string(wanted) == "0") return std::nullopt;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::nullopt;
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &mask)) allowed.push_back(cpu);
  if (ranks == 0 || allowed.size() < ranks) return std::nullopt;
  return cores_of_turn(allowed, ranks, turn, package_of_core);
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
