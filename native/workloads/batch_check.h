#pragma once
// Merges the verifications of the units of one batch.
#include <cstdint>
#include <string>
#include <utility>

#include "core/verification.h"

namespace collbench {

/// Adds the verification of one unit of work (one operation) to the sum for its batch.
/// @param number index of this unit in the batch, from 0
/// @param units number of units that are compared
inline void add_to(Verification& all, Verification&& one, std::uint32_t number, std::uint32_t units) {
  const std::uint64_t compared = all.compared + one.compared, wrong = all.wrong + one.wrong;
  if (all.wrong == 0 && one.wrong > 0) {
    all = std::move(one);
    if (units > 1)
      all.note += (all.note.empty() ? "operation " : ", operation ") + std::to_string(number + 1) + " of " +
                  std::to_string(units) + " in a row";
  }
  all.compared = compared;
  all.wrong = wrong;
  all.units = number + 1;
}

}  // namespace collbench
