#pragma once
// One thing that happened in a job, as threads of the job leave it behind: no memory of its own, copied as it
// is.
#include <cstdint>

namespace collbench::recorder {

enum class What : std::uint8_t { kCall, kDeviceTime };

struct Entry {
  What what = What::kCall;
  bool is_graph = false;
  /// It returned before it was done: its time is that of the call alone.
  bool is_issue = false;
  std::uint8_t channels = 0;
  std::uint8_t warps = 0;
  std::int32_t log = -1;
  /// Number of the call in its communicator, from 0.
  std::uint64_t call = 0;
  /// As the library counts; NCCL: per function.
  std::uint64_t sequence = 0;
  std::uint64_t count = 0;
  /// Bytes of `count` elements; 0 where the type says it.
  std::uint64_t bytes = 0;
  /// Static words, or words that are never freed; nullptr: not known.
  const char* function = nullptr;
  const char* type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::int32_t root = -1;
  std::int32_t peer = -1;
  std::uint64_t stream = 0;
  /// CLOCK_MONOTONIC, ns. Of device times: when the end was seen.
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  /// Clock of the device, ns.
  std::uint64_t device_start_ns = 0;
  std::uint64_t device_stop_ns = 0;
};

}  // namespace collbench::recorder
