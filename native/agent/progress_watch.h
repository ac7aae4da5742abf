#pragma once
// Deadline of a block. It counts from the last progress of any rank, so a block whose ranks make progress may
// take longer.
#include <cstdint>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

class ProgressWatch {
 public:
  enum class Finding : std::uint8_t { kNothingNew, kProgress, kHang };

  /// Starts with a block. Times are of CLOCK_MONOTONIC, in ns.
  /// @param deadline_ns time without progress after which the ranks count as hung
  ProgressWatch(std::int64_t start_ns, std::int64_t deadline_ns) noexcept;

  /// Time at which look() must be called next. The interval is short enough that a hang is found soon after
  /// the deadline, and that the controller learns of progress before it gives the agent up.
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  /// Compares the ranks with their state at the previous look. A rank has made progress if its phase has
  /// changed or it has completed an operation.
  Finding look(const std::vector<RankReport>& ranks, std::int64_t now_ns) noexcept;

 private:
  std::int64_t deadline_ns_;
  std::int64_t progress_ns_;  // Time of the last known progress of any rank.
  std::int64_t due_ns_ = 0;
  std::int64_t operations_ = 0;  // Completed operations of all ranks at the last look.
};

}  // namespace collbench::agent
