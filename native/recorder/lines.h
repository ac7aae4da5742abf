#pragma once
// Lines of a record file: JSON, one object per line. Contract with results/record/read.ts.
#include <cstdint>
#include <string>

#include "recorder/entry.h"

namespace collbench::recorder {

/// Content of the first line of a record file, which holds the calls of one communicator in one process.
struct Header {
  /// Library whose calls are recorded: "nccl" or "mpi".
  std::string source;
  /// Version of the library's interface through which the recorder learns of calls (NCCL's profiler
  /// interface); 0 if it has no versions.
  int interface_version = 0;
  std::string communicator;     // Id that is equal on all ranks of the communicator.
  std::string name;             // Name that the job gave the communicator; "" = none.
  int ranks = 0;                // Number of ranks in the communicator.
  int rank = 0;                 // This process's rank in the communicator.
  int nodes = 0;                // Number of nodes in the communicator; 0 = not known.
  std::string library_path;     // File of the library; "" = not known.
  std::string library_version;  // Version that the library reports; "" = none.
};

/// One instant, read on CLOCK_MONOTONIC and on the wall clock. The instant at which a record starts is its
/// base: times of calls are written relative to it, so that numbers stay small enough for every JSON reader.
struct ClockReadings {
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
  static ClockReadings now() noexcept;
};

/// Numbers of calls and device times of one communicator that could not be recorded.
struct Losses {
  /// Calls lost: the queue to the writing thread was full, or the call ended when its memory was in use for
  /// another call.
  std::uint64_t calls = 0;
  /// Device times lost: they arrived too late, when the memory for their call was in use for another call, or
  /// the queue was full.
  std::uint64_t device_times = 0;
  bool operator==(const Losses&) const = default;
};

/// Returns `text` as a JSON string: in quotes, with special characters escaped.
std::string quoted(const char* text);
/// Returns the first line of a record file: library, communicator, rank, process and start time.
/// @param token distinguishes the job from others that record in the same folder
std::string header_line(const Header& header, const std::string& token, const ClockReadings& clocks);
/// Appends to `to` the JSON line of one call, or of the times at which a call's kernel ran on the GPU.
/// @param base_ns start of the record on CLOCK_MONOTONIC, which is subtracted from times
void append_entry(std::string& to, const RecordEntry& entry, std::int64_t base_ns);
/// Returns a line with one instant on both clocks: CLOCK_MONOTONIC, in ns after `base_ns`, and wall clock.
std::string clock_line(const ClockReadings& clocks, std::int64_t base_ns);
std::string losses_line(const Losses& losses);
/// Returns the line with path, size in bytes and SHA-256 of the library whose calls are recorded, such as
/// libnccl.
std::string library_line(const std::string& path, std::uint64_t bytes, const std::string& sha256);
/// Returns the last line of a record; a record without it is incomplete.
/// @param calls number of calls in the record
/// @param device_times number of device times in the record
std::string end_line(std::uint64_t calls, std::uint64_t device_times, const Losses& losses);

}  // namespace collbench::recorder
