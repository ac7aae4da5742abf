#pragma once
// Streams of calls, one for each group of ranks. Calls of one group run one after the other, calls of
// different groups concurrently. Frameworks do the same with one stream per communicator.
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/replay/call_queue.h"
#include "workloads/replay/calls.h"
#include "workloads/replay/script.h"

namespace collbench::replay {

class GroupStreams {
 public:
  /// Creates an engine for each layout of groups in the script, and memory for all calls. Calls of all ranks
  /// use `engine`. All ranks must call it together.
  GroupStreams(Engine& engine, const Script& script, int rank, int ranks, std::uint64_t seed);

  void prepare(std::uint64_t iteration);
  Verification verify(std::uint64_t iteration);
  [[nodiscard]] bool repeatable() const;

  void begin();
  /// Starts a collective call on the stream of its group of ranks. Returns before the call has ended.
  /// @param number index of the call in the script, from 0
  void issue(std::size_t number);
  /// Waits until all collective calls that issue() has started have ended, in all groups of this rank.
  void wait();
  void end();
  /// Returns the sum, over all streams, of the time in ns for which collective calls ran in the last step;
  /// absent if they run on a device, where the host cannot time them.
  [[nodiscard]] std::optional<std::int64_t> moving_ns() const;

 private:
  struct GroupStream {
    GroupLayout group;
    std::unique_ptr<Engine> own;  // Engine of the group; null = the engine of all ranks.
    Engine* engine = nullptr;
    std::optional<StepCalls> calls;
    std::optional<CallQueue> call_queue;  // Destroyed first.
  };

  std::deque<GroupStream> lanes_;
  struct CallPosition {
    std::size_t lane = 0, number = 0;
  };
  std::vector<CallPosition> positions_;  // Position of each call, by its index in the script.
};

}  // namespace collbench::replay
