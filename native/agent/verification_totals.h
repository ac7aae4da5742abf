#pragma once
#include <cstdint>
#include <string>

#include "agent/rank_session.h"
#include "core/error.h"
#include "core/verification.h"

namespace collbench::agent {

/// Sum of all verifications in one block on one rank. Each is checked before it is added, because its counts
/// may come from another process or a GPU: no more elements may be wrong than were compared, and sums must be
/// exact in JSON.
class VerificationTotals {
 public:
  /// Adds one verification. @param iteration iteration that was verified
  /// @throws Error(kInternal) if more elements are wrong than compared, or the sum exceeds kMaxElements
  void add(std::uint64_t iteration, const Verification& found) {
    if (found.wrong > found.compared || found.compared > kMaxElements - wrong_.compared_elements)
      throw Error(ErrorCode::kInternal, "the verification of iteration " + std::to_string(iteration) +
                                            " reports " + std::to_string(found.wrong) + " wrong of " +
                                            std::to_string(found.compared) + " compared elements");
    count_ += found.units;
    wrong_.compared_elements += found.compared;
    wrong_.wrong_elements += found.wrong;
    if (found.wrong > 0 && !wrong_.first)
      wrong_.first = FirstWrong{iteration, found.first_index, found.wanted, found.got, found.note};
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const WrongData& wrong() const { return wrong_; }

  /// Largest number of elements that JavaScript's number type represents exactly.
  static constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 53) - 1;

 private:
  std::uint64_t count_ = 0;
  WrongData wrong_;
};

}  // namespace collbench::agent
