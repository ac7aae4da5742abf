#pragma once
// One recorded event of a job, filled in by the job's threads. Owns no memory and is copied bytewise.
#include <cstdint>

namespace collbench::recorder {

enum class EntryKind : std::uint8_t { kCall, kDeviceTime };

/// One entry of a record file: a communication call of the user's job (kCall), or the times at which the
/// kernel of an earlier call ran on the GPU (kDeviceTime). `log` is the number from Recorder::open().
struct RecordEntry {
  EntryKind what = EntryKind::kCall;
  bool is_graph = false;
  /// True for a non-blocking call: start_ns and stop_ns are those of the call, which returned before the
  /// operation was done.
  bool is_issue = false;
  std::uint8_t channels = 0;
  std::uint8_t warps = 0;
  std::int32_t log = -1;
  /// Running number of the call within its communicator, from 0.
  std::uint64_t call = 0;
  /// Number of the call as NCCL reports it (counted separately for each function), or the number of a
  /// collective in its MPI communicator.
  std::uint64_t sequence = 0;
  std::uint64_t count = 0;
  /// Size of `count` elements in bytes; 0 if NCCL's type name `type` tells it.
  std::uint64_t bytes = 0;
  /// Names of function, data type, algorithm and protocol, such as "AllReduce". The texts are never freed
  /// (string literals, for example); nullptr = unknown.
  const char* function = nullptr;
  const char* type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::int32_t root = -1;
  std::int32_t peer = -1;
  std::uint64_t stream = 0;
  /// Begin and end of the call, CLOCK_MONOTONIC in ns. For kDeviceTime, stop_ns is the time when the host
  /// learned that the kernel had ended.
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  /// Begin and end of the call's kernel in ns, on the GPU's clock; only for kDeviceTime.
  std::uint64_t device_start_ns = 0;
  std::uint64_t device_stop_ns = 0;
};

}  // namespace collbench::recorder
