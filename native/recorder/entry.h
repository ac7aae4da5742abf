#pragma once
// One recorded event of a job, filled in by the job's threads. Owns no memory and is copied bytewise.
#include <cstdint>

namespace collbench::recorder {

enum class EntryKind : std::uint8_t { kCall, kDeviceTime };

struct Entry {
  EntryKind what = EntryKind::kCall;
  bool is_graph = false;
  /// True for a non-blocking call: start and stop are those of the call, which returned before the operation
  /// was done.
  bool is_issue = false;
  std::uint8_t channels = 0;
  std::uint8_t warps = 0;
  std::int32_t log = -1;
  /// Number of the call in its communicator, from 0.
  std::uint64_t call = 0;
  /// Number of the call as the library counts; NCCL counts per function.
  std::uint64_t sequence = 0;
  std::uint64_t count = 0;
  /// Bytes of `count` elements; 0 if `type` implies the size.
  std::uint64_t bytes = 0;
  /// Texts that are never freed, such as string literals; nullptr: unknown.
  const char* function = nullptr;
  const char* type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::int32_t root = -1;
  std::int32_t peer = -1;
  std::uint64_t stream = 0;
  /// CLOCK_MONOTONIC, ns. In an entry of device times: when the end was seen.
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  /// Clock of the device, ns.
  std::uint64_t device_start_ns = 0;
  std::uint64_t device_stop_ns = 0;
};

}  // namespace collbench::recorder
