#pragma once
// The agent's side of metrics: a sampler in a thread of its own, whose rows are told of when no block is
// being measured, so that nothing is sent or allocated while the clock runs.
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"
#include "metrics/sampler_thread.h"

namespace collbench::agent {

/// A rank process that is alive, for Sampling::follow.
struct FollowedRank {
  int rank = 0;
  pid_t pid = -1;
  std::optional<int> cpu;
  bool operator==(const FollowedRank&) const = default;
};

class Sampling {
 public:
  /// @returns whether the controller has taken all lines so far: if not, more would only pile up here
  using Send = std::function<bool(const std::string& line)>;
  explicit Sampling(Send send);

  /// Says `sampling` and begins. @throws Error(kProtocol) when it has begun already
  void start(const SampleRequest& request);
  /// Says the rest of `samples`, then `sampled`. @throws Error(kProtocol) when it has not begun
  void stop();
  [[nodiscard]] bool running() const noexcept { return thread_ != nullptr; }

  /// The rank processes there are now: read from now on, and their cores left to them.
  void follow(const std::vector<FollowedRank>& ranks);

  /// Readable when the rows are to be taken although a block is being measured; -1 = never.
  [[nodiscard]] int filling_fd() const noexcept { return filling_.get(); }
  /// CLOCK_MONOTONIC instant of the next on_turn without anything else; INT64_MAX = none
  [[nodiscard]] std::int64_t due_ns(bool measuring) const noexcept;
  /// Says what waits if it is time to. @param congested the controller has not taken all lines yet: the ring
  /// holds the rows meanwhile
  void on_turn(bool measuring, bool congested);

 private:
  /// @param all also those that will have to wait in memory; else the ring holds them until there is room
  void send_rows(bool all);
  void send_failures();

  Send send_;
  UniqueFd filling_;
  std::shared_ptr<metrics::RankSlots> slots_;
  std::unique_ptr<metrics::Sampler> sampler_;
  std::unique_ptr<metrics::SamplerThread> thread_;
  std::vector<FollowedRank> followed_;
  std::int64_t next_send_ns_ = 0;
  bool behind_ = false;              // the controller has not taken all that was due
  std::int64_t sending_cpu_ns_ = 0;  // of turning rows into lines: part of what sampling costs
};

}  // namespace collbench::agent
