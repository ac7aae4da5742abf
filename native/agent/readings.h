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

/// A running rank process whose CPU time and memory are recorded; `cpu` is the core that it is bound to.
struct FollowedRank {
  int rank = 0;
  pid_t pid = -1;
  std::optional<int> cpu;
  bool operator==(const FollowedRank&) const = default;
};

class Readings {
 public:
  /// Function that sends a line to the controller. @returns true if all lines so far have been sent; false if
  /// lines wait in memory, so that further ones should be avoided
  using SendLine = std::function<bool(const std::string& line)>;
  explicit Readings(SendLine send);

  /// Sends the message `sampling` and starts recording metrics. @throws Error(kProtocol) if recording is
  /// already active
  void start(const SampleRequest& request);
  /// Ends recording: sends the remaining metrics as `samples`, then the message `sampled` with the cost.
  /// @throws Error(kProtocol) if recording is not active
  void stop();
  [[nodiscard]] bool running() const noexcept { return thread_ != nullptr; }

  /// Replaces the set of rank processes whose CPU time and memory are recorded. The recording thread avoids
  /// their cores. Does nothing while not recording.
  void follow(const std::vector<FollowedRank>& ranks);

  /// Returns a descriptor for poll(). It becomes readable when the memory for recorded metrics is three
  /// quarters full; they must then be sent even while a block is measured. -1 = not recording.
  [[nodiscard]] int filling_fd() const noexcept { return filling_.get(); }
  /// Returns the CLOCK_MONOTONIC time at which on_turn() must be called; INT64_MAX = never. @param measuring
  /// true while a block is measured
  [[nodiscard]] std::int64_t due_ns(bool measuring) const noexcept;
  /// Sends recorded metrics to the controller if it is time to do so. The agent calls it in its main loop.
  /// @param measuring true while a block is measured
  /// @param congested true if the controller has not received all earlier lines; then rows stay in memory
  void on_turn(bool measuring, bool congested);

 private:
  /// Sends recorded metrics as `samples` messages.
  /// @param all true: all of them; false: stops when the controller does not take them at once
  void send_rows(bool all);
  void send_failures();

  SendLine send_;
  FileDescriptor filling_;
  std::shared_ptr<metrics::RankSlots> slots_;
  std::unique_ptr<metrics::Sampler> sampler_;
  std::unique_ptr<metrics::SamplerThread> thread_;
  std::vector<FollowedRank> followed_;
  std::int64_t next_send_ns_ = 0;
  bool behind_ = false;              // True while the controller has not taken all lines that were due.
  std::int64_t sending_cpu_ns_ = 0;  // CPU time for turning rows into lines, a part of the sampling cost.
};

}  // namespace collbench::agent
