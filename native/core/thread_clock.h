#pragma once
#include <time.h>

#include <cstdint>

namespace collbench {

/// Returns the time in nanoseconds for which the calling thread has run on a CPU.
inline std::int64_t thread_cpu_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

}  // namespace collbench
