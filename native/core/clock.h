#pragma once
#include <time.h>

#include <cstdint>

namespace collbench {

/// Time of CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine, never stepped.
inline std::int64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

}  // namespace collbench
