// /proc/meminfo (proc(5)), which counts KiB.
#include <array>

#include "metrics/keyed_source.h"
#include "metrics/sources/openers.h"

namespace collbench::metrics {
namespace {

constexpr double kKib = 1024;
constexpr std::array<KeyedValue, 9> kKeys = {{
    {"MemTotal:", "memory.total", "bytes", false, kKib},
    {"MemFree:", "memory.free", "bytes", false, kKib},
    {"MemAvailable:", "memory.available", "bytes", false, kKib},
    {"Cached:", "memory.cached", "bytes", false, kKib},
    {"SwapTotal:", "memory.swapTotal", "bytes", false, kKib},
    {"SwapFree:", "memory.swapFree", "bytes", false, kKib},
    {"Shmem:", "memory.shared", "bytes", false, kKib},
    {"Mlocked:", "memory.locked", "bytes", false, kKib},
    {"HugePages_Free:", "memory.hugePagesFree", "pages", false, 1},
}};

}  // namespace

std::unique_ptr<Source> open_memory(const SourceContext& context) {
  return std::make_unique<KeyedSource>(context.roots.proc + "/meminfo", kKeys);
}

}  // namespace collbench::metrics
