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

  /// Created when the ranks begin to measure a block. All times are those of CLOCK_MONOTONIC, in ns.
  /// @param deadline_ns time without progress after which the ranks count as hung
  ProgressWatch(std::int64_t start_ns, std::int64_t deadline_ns) noexcept;

  /// Returns the time at which look() must be called next: at most 5 s ahead and at most an eighth of the
  /// deadline. The controller thus learns of progress before it considers the agent dead.
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  /// Compares the ranks with the previous call. kProgress: a rank has changed its phase or completed an
  /// operation since then; kHang: none has for deadline_ns; kNothingNew: neither.
  Finding look(const std::vector<RankReport>& ranks, std::int64_t now_ns) noexcept;

 private:
  std::int64_t deadline_ns_;
  std::int64_t progress_ns_;  // Time of the last known progress of any rank.
  std::int64_t due_ns_ = 0;
  std::int64_t operations_ = 0;  // Completed operations of all ranks at the last look.
};

}  // namespace collbench::agent
