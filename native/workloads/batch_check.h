#pragma once
// Merges the verifications of the units of one batch.
#include <cstdint>
#include <string>
#include <utility>

#include "core/verification.h"

namespace collbench {

/// Adds the verification of one operation to that of its batch: adds up the counts and keeps the first wrong
/// element. Its note then names the operation, unless `units` is 1. Sets `all.units` to `number` + 1.
/// @param all result for the operations so far
/// @param one result for this operation
/// @param number index of this operation in the batch, from 0
/// @param units number of operations of the batch that are verified
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
