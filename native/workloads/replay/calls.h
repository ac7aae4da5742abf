#pragma once
// Collectives of a step, each in its own memory, so that concurrent ones do not interfere.
#include <cstdint>
#include <vector>

#include "collectives/pattern.h"
#include "engines/engine.h"

namespace collbench::replay {

/// One collective call of a replayed step, and its number among all calls of the step, from 1.
struct NumberedCall {
  Operation operation;
  std::size_t number = 1;
};

/// Merges the verifications of two sets of calls: adds up their counts, and keeps the first wrong element of
/// `one`, or of `other` if `one` has none.
Verification merge_verifications(Verification one, Verification other);

class StepCalls {
 public:
  StepCalls(Engine& engine, const std::vector<NumberedCall>& calls, int rank, int ranks, std::uint64_t seed);

  void prepare(std::uint64_t iteration);
  /// Compares the results of all calls with the expected ones. The note of the first wrong element names the
  /// call.
  Verification verify(std::uint64_t iteration);
  [[nodiscard]] const std::vector<CollectiveCall>& all() const noexcept { return calls_; }
  /// Returns true if no call changes its own input, so that calls can be repeated without filling it anew.
  [[nodiscard]] bool repeatable() const;

 private:
  Engine& engine_;
  const int rank_;
  std::vector<Pattern> patterns_;  // One pattern per call.
  std::vector<std::size_t> numbers_;
  std::vector<CollectiveCall> calls_;
};

}  // namespace collbench::replay
