#pragma once
// The collectives of a step in memory of their own, so that those under way at the same time do not meet.
#include <cstdint>
#include <vector>

#include "collectives/pattern.h"
#include "engines/engine.h"

namespace collbench::replay {

/// A call and which one of the step it is, from 1.
struct Numbered {
  Operation operation;
  std::size_t number = 1;
};

/// What two verifications found; what is wrong is told of the first call of the step that is.
Verification joined(Verification one, Verification other);

class Calls {
 public:
  Calls(Engine& engine, const std::vector<Numbered>& calls, int rank, int ranks, std::uint64_t seed);

  void prepare(std::uint64_t iteration);
  /// What is wrong is told of the first wrong call.
  Verification verify(std::uint64_t iteration);
  [[nodiscard]] const std::vector<Call>& all() const noexcept { return calls_; }
  /// No call changes its own input.
  [[nodiscard]] bool repeatable() const;

 private:
  Engine& engine_;
  const int rank_;
  std::vector<Pattern> patterns_;  // by call
  std::vector<std::size_t> numbers_;
  std::vector<Call> calls_;
};

}  // namespace collbench::replay
