#pragma once
// Lines of a record file: JSON, one object per line. Contract with results/record/read.ts.
#include <cstdint>
#include <string>

#include "recorder/entry.h"

namespace collbench::recorder {

/// Header of the record of one communicator in one process.
struct Header {
  /// Library whose calls are recorded: "nccl" or "mpi".
  std::string source;
  /// Version of the interface that delivers the calls; 0 = none.
  int interface_version = 0;
  std::string communicator;
  std::string name;
  int ranks = 0;
  int rank = 0;
  int nodes = 0;
  std::string library_path;
  std::string library_version;
};

/// Start of the record on several clocks. Times of calls count from it, so that every JSON reader holds them
/// exactly.
struct ClockReadings {
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
  static ClockReadings now() noexcept;
};

struct Losses {
  /// Calls lost because the ring was full.
  std::uint64_t calls = 0;
  /// Device times lost: they arrived after the slot of their call was reused, or the ring was full.
  std::uint64_t device_times = 0;
  bool operator==(const Losses&) const = default;
};

std::string quoted(const char* text);
std::string header_line(const Header& header, const std::string& token, const ClockReadings& clocks);
void append_entry(std::string& to, const Entry& entry, std::int64_t base_ns);
std::string clock_line(const ClockReadings& clocks, std::int64_t base_ns);
std::string losses_line(const Losses& losses);
std::string library_line(const std::string& path, std::uint64_t bytes, const std::string& sha256);
std::string end_line(std::uint64_t calls, std::uint64_t device_times, const Losses& losses);

}  // namespace collbench::recorder
