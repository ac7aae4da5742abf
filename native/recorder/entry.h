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
  std::uint8_t channels = 0;  // Number of channels that NCCL uses for the call; 0 = not known.
  std::uint8_t warps = 0;     // Number of warps per channel; 0 = not known.
  std::int32_t log = -1;      // Number of the communicator's record; -1 = the call is not recorded.
  /// Running number of the call within its communicator, from 0.
  std::uint64_t call = 0;
  /// Number of the call as NCCL reports it (counted separately for each function), or the number of a
  /// collective in its MPI communicator.
  std::uint64_t sequence = 0;
  std::uint64_t count = 0;  // Number of elements of type `type`; for MPI's Wait and Start, of requests.
  /// Size of `count` elements in bytes; 0 for NCCL, whose type name `type` implies it.
  std::uint64_t bytes = 0;
  /// Names of function, data type, algorithm and protocol, such as "AllReduce". The texts are never freed
  /// (string literals, for example); nullptr = unknown.
  const char* function = nullptr;
  const char* type = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  std::int32_t root = -1;    // Root of the collective, as rank in the communicator; -1 = none.
  std::int32_t peer = -1;    // Other rank of a message, in the communicator; -1 = none or not known.
  std::uint64_t stream = 0;  // Handle of the CUDA stream; 0 = not known.
  /// Begin and end of the call, CLOCK_MONOTONIC in ns. For kDeviceTime, stop_ns is the time when the host
  /// learned that the kernel had ended.
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  /// Begin and end of the call's kernel in ns, on the GPU's clock; only for kDeviceTime.
  std::uint64_t device_start_ns = 0;
  std::uint64_t device_stop_ns = 0;
};

}  // namespace collbench::recorder
