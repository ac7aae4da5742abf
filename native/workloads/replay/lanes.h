#pragma once
// The calls of a step by the ranks that make them: those of one group run one after the other, those of
// different groups beside each other, as frameworks do it with a stream for each communicator.
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/replay/calls.h"
#include "workloads/replay/mover.h"
#include "workloads/replay/script.h"

namespace collbench::replay {

class Lanes {
 public:
  /// Connects the groups; all ranks call it together.
  Lanes(Engine& engine, const Script& script, int rank, int ranks, std::uint64_t seed);

  void prepare(std::uint64_t iteration);
  Verification verify(std::uint64_t iteration);
  [[nodiscard]] bool repeatable() const;

  void begin();
  /// Starts the call. @param number in the script
  void issue(std::size_t number);
  /// Until all that was issued has ended.
  void wait();
  void end();
  /// From the start to the end of each call, together; absent where they only queue. Of the last step.
  [[nodiscard]] std::optional<std::int64_t> moving_ns() const;

 private:
  struct Lane {
    Group group;
    std::unique_ptr<Engine> own;  // null: the engine of all ranks
    Engine* engine = nullptr;
    std::optional<Calls> calls;
    std::optional<Mover> mover;  // ends first
  };

  std::deque<Lane> lanes_;
  struct Place {
    std::size_t lane = 0, number = 0;
  };
  std::vector<Place> places_;  // by number in the script
};

}  // namespace collbench::replay
