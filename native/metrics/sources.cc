#include "metrics/sources.h"

#include <cstdio>
#include <cstring>

#include "metrics/sources/openers.h"

namespace collbench::metrics {
namespace {

constexpr std::int64_t kMs = 1'000'000;

constexpr SourceEntry kSources[] = {
    {"cpu", "where the time of each core went, context switches, interrupts (/proc/stat)", &open_cpu},
    {"memory", "memory, swap and huge pages (/proc/meminfo)", &open_memory, 20 * kMs},
    {"pressure", "time in which tasks waited for cpu, io, memory (/proc/pressure)", &open_pressure, 20 * kMs},
    {"ranks", "CPU time and resident memory of the rank processes (/proc/PID)", &open_ranks},
    {"net", "bytes, packets, drops and errors of each interface (/proc/net/dev)", &open_net},
};

}  // namespace

void Source::fail(const char* what, int error_number) noexcept {
  if (failed_.load(std::memory_order_relaxed)) return;
  if (error_number == 0)
    std::snprintf(reason_, sizeof reason_, "%s", what);
  else
    std::snprintf(reason_, sizeof reason_, "%s: %s", what, std::strerror(error_number));
  failed_.store(true, std::memory_order_release);
}

std::span<const SourceEntry> sources() { return kSources; }

}  // namespace collbench::metrics
