#pragma once
// Runs the metrics sampler in its own thread. Its rows are sent only while no block is measured, so that
// nothing is sent or allocated while samples are timed.
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

/// Living rank process, for Sampling::follow.
struct FollowedRank {
  int rank = 0;
  pid_t pid = -1;
  std::optional<int> cpu;
  bool operator==(const FollowedRank&) const = default;
};

class Sampling {
 public:
  /// @returns whether the controller has taken all lines so far; if not, further lines only queue up in
  /// memory
  using SendLine = std::function<bool(const std::string& line)>;
  explicit Sampling(SendLine send);

  /// Sends `sampling` and starts. @throws Error(kProtocol) if already started
  void start(const SampleRequest& request);
  /// Sends the remaining `samples`, then `sampled`. @throws Error(kProtocol) if not started
  void stop();
  [[nodiscard]] bool running() const noexcept { return thread_ != nullptr; }

  /// Sets the rank processes to read from now on. The sampler avoids their cores.
  void follow(const std::vector<FollowedRank>& ranks);

  /// Descriptor that becomes readable when rows must be sent even though a block is measured; -1 = never.
  [[nodiscard]] int filling_fd() const noexcept { return filling_.get(); }
  /// CLOCK_MONOTONIC instant at which on_turn must be called; INT64_MAX = none.
  [[nodiscard]] std::int64_t due_ns(bool measuring) const noexcept;
  /// Sends waiting rows if they are due.
  /// @param congested the controller has not taken all lines yet; rows then stay in the ring
  void on_turn(bool measuring, bool congested);

 private:
  /// @param all true: send all rows, even those that must wait in memory; false: rows stay in the ring until
  /// there is room
  void send_rows(bool all);
  void send_failures();

  SendLine send_;
  UniqueFd filling_;
  std::shared_ptr<metrics::RankSlots> slots_;
  std::unique_ptr<metrics::Sampler> sampler_;
  std::unique_ptr<metrics::SamplerThread> thread_;
  std::vector<FollowedRank> followed_;
  std::int64_t next_send_ns_ = 0;
  bool behind_ = false;              // True while the controller has not taken all lines that were due.
  std::int64_t sending_cpu_ns_ = 0;  // CPU time for turning rows into lines, a part of the sampling cost.
};

}  // namespace collbench::agent
