#pragma once
#include <time.h>

#include <cstdint>

namespace collbench {

/// Returns the time of a clock of clock_gettime(2) in nanoseconds.
inline std::int64_t read_clock_ns(clockid_t clock) noexcept {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// Returns the time of CLOCK_MONOTONIC in nanoseconds. All processes of a machine share this clock, and it
/// never jumps.
inline std::int64_t now_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

/// Returns the time in nanoseconds for which the calling thread has run on a CPU.
inline std::int64_t thread_cpu_ns() noexcept { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace collbench
