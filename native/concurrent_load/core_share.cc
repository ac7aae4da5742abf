#include "concurrent_load/core_share.h"

#include <sched.h>

#include <algorithm>

namespace collbench::concurrent_load {

std::vector<int> cores_of_share(const std::vector<int>& allowed, const std::vector<std::optional<int>>& own,
                                std::size_t local_rank) {
  std::vector<int> share;
  std::size_t next = 0;
  for (const int core : allowed) {
    if (std::find(own.begin(), own.end(), core) != own.end()) continue;
    if (next++ % own.size() == local_rank) share.push_back(core);
  }
  if (own[local_rank]) share.push_back(*own[local_rank]);
  if (share.empty() && !allowed.empty()) share.push_back(allowed[local_rank % allowed.size()]);
  return share;
}

std::vector<int> cores_of_thread(int thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cores;
  if (sched_getaffinity(thread, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &mask)) cores.push_back(core);
  return cores;
}

}  // namespace collbench::concurrent_load
