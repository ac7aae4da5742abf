#pragma once
// One launch on this agent: its rank processes, its deadline and its end. Never blocks, except while killed
// processes are reaped.
#include <poll.h>
#include <sys/types.h>

#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/blame.h"
#include "agent/line_channel.h"
#include "agent/progress_watch.h"
#include "agent/protocol/protocol.h"
#include "agent/readings.h"
#include "agent/spawn.h"
#include "agent/traffic.h"
#include "core/shared_memory.h"
#include "measure/shared_state.h"
#include "metrics/control_groups.h"

namespace collbench::agent {

/// Maximum number of stderr lines with WARN, per rank, that are sent to the controller as warnings. Further
/// ones are only counted.
inline constexpr std::size_t kMaxWarnings = 100;

/// One rank process that the agent has started: its sockets and pipes, its last output, and its reports.
struct RankProcess {
  int rank = 0;
  std::vector<int> cpus;  // CPUs that the rank was told to use; empty = any.
  std::vector<int> memory_nodes;
  pid_t pid = -1;
  FileDescriptor control, error_output, engine_log;
  LineReader control_lines, error_lines;
  LineWriter writer;
  std::deque<std::string> log_tail;  // Last lines that the rank wrote to stderr.
  std::size_t output_bytes = 0;      // Bytes of stderr sent to the controller so far.
  std::size_t lines_left_out = 0;
  std::optional<int> exit_status;      // Wait status of the process, set when it has been reaped.
  std::optional<RankFailed> reported;  // Error that the rank reported itself.
  std::optional<RankReady> ready;
  std::optional<std::string> outcome;    // Rank's outcome of the block being measured, as JSON.
  int exchanges = 0;                     // Number of bootstrap exchanges that the rank has taken part in.
  std::vector<std::uint64_t> stack;      // Return addresses that the rank has written so far.
  std::vector<std::string> crash_stack;  // Resolved stack of the fault that the rank dies of.
  std::size_t warnings = 0;
  [[nodiscard]] bool alive() const noexcept { return pid > 0 && !exit_status; }
};

class Launch {
 public:
  using SendLine = std::function<void(const std::string& line)>;

  /// Starts the rank processes. If one cannot be started, the launch ends with the message `failed`.
  /// @param line the launch message as received; each rank gets it unchanged
  /// @param host name of this machine, for messages
  /// @param engine engine of the ranks; null if this build does not have it
  /// @param send sends a line to the controller
  /// @throws Error(kInternal) if there is no memory that the ranks can share
  Launch(LaunchRequest request, const std::string& line, std::string host, const EngineEntry* engine,
         SendLine send);
  /// Kills the rank processes that still run, and waits at most 10 s for their end.
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  void exchanged(const std::string& line);
  /// Makes the ranks measure one block: the samples of one cell and trial, in this launch. Does nothing if
  /// the launch is failing or ending.
  /// @param line the controller's message, which each rank gets unchanged; `request` is the same, parsed
  /// @throws Error(kProtocol) if the ranks are still connecting or measuring
  void measure(const MeasureRequest& request, const std::string& line);
  void stop();
  /// Returns true while ranks measure a block (the samples of one cell). The agent then does as little as
  /// possible, because its own work would disturb the measurement.
  [[nodiscard]] bool measuring() const noexcept { return state_ == State::kMeasuring; }
  void add_living(std::vector<FollowedRank>& ranks) const;

  /// Adds the sockets and pipes of the rank processes to `set`, for poll(). Afterwards the caller calls
  /// read_all(), which does not block.
  void add_to_poll(std::vector<pollfd>& set) const;
  void read_all();
  /// Must be called when a child process has ended. @returns true if the process belongs to this launch
  bool on_exit(pid_t pid, int status);
  /// Returns the CLOCK_MONOTONIC time at which on_time() must be called; INT64_MAX = never.
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  void on_time();

  /// Returns true when `stopped` or `failed` has been sent to the controller. Then no process of the launch
  /// is left, except one that cannot be killed.
  [[nodiscard]] bool is_over() const noexcept { return state_ == State::kOver; }
  void kill_all();
  /// Sends the logs of the ranks' engines to the controller, if the launch request asked for output. Called
  /// once at the end, when no rank writes any more.
  void send_engine_logs();

 private:
  enum class State {
    kConnecting,
    kIdle,
    kMeasuring,
    kCollecting,   // A rank failed; waits a moment for the other ranks' errors.
    kDumping,      // The deadline passed; waits for stacks and watches the network interfaces for a second.
    kStopping,     // The ranks were told to stop.
    kHanging,      // Ranks did not stop; waits for their stacks.
    kTerminating,  // Ranks still run; SIGTERM was sent.
    kOver
  };
  void start_ranks(const std::string& line, const EngineEntry* engine);
  void on_rank_line(RankProcess& rank, const std::string& line);
  void on_error_line(RankProcess& rank, const std::string& line);
  void hand_on(RankProcess& rank, const std::string& line);
  [[nodiscard]] ReadyRank ready_of(const RankProcess& rank) const;
  [[nodiscard]] std::string binding_problem(const RankProcess& rank) const;
  void pass_on(const std::string& line);
  void after_progress();
  void begin_collecting();
  /// Called when ProgressWatch::due_ns() has passed. Compares the progress of the ranks with the last call:
  /// sends `progress` if there was any, or begins to collect stacks if no rank has progressed for as long as
  /// the deadline of the block.
  void watch_block();
  void begin_dumping();
  void ask_stacks();
  /// Returns the process id of the Python or user process in which the engine of local rank `index` works; 0
  /// if the engine works in the rank process itself.
  [[nodiscard]] pid_t worker_of(std::size_t index) const;
  [[nodiscard]] std::optional<std::size_t> missing_at_rendezvous() const;
  [[nodiscard]] bool closing() const noexcept {
    return state_ == State::kStopping || state_ == State::kHanging || state_ == State::kTerminating;
  }
  void send_closing_problem(const RankProcess& rank, const std::string& what,
                            const std::vector<std::string>& stack);
  void send_dropped_warning_count();
  [[nodiscard]] bool dies() const;
  void fail_dead_or_reported();
  [[nodiscard]] std::vector<RankEnd> ends() const;
  void fail_hang();
  void fail(LaunchFailure failure);
  void finish_stop();
  [[nodiscard]] bool all_gone() const;
  [[nodiscard]] std::vector<RankReport> reports() const;
  void add_activity(LaunchFailure& failure, std::size_t index) const;

  LaunchRequest request_;
  std::string host_;
  const std::optional<std::uint64_t> memory_kills_ =
      metrics::out_of_memory_kills();  // The machine's out-of-memory kills before the ranks started.
  SendLine send_;
  ipc::SharedMemory state_memory_;
  SharedState& shared_state_;  // In `state_memory_`; rank processes inherit the memory.
  std::vector<RankProcess> ranks_;
  State state_ = State::kConnecting;
  std::optional<std::size_t> missing_;  // Result of missing_at_rendezvous() when the deadline passed.
  bool broken_while_connecting_ = true;
  bool awaits_cause_ = false;  // While collecting: no rank has reported the original cause yet.
  std::int64_t started_ns_ = 0;
  std::int64_t due_ns_ = INT64_MAX;
  std::optional<ProgressWatch> watch_;  // Deadline of the current block.
  std::optional<MeasureRequest> measuring_;
  std::map<std::string, std::uint64_t> received_before_;
  std::vector<RankReport> at_deadline_;
  TrafficCounters traffic_before_, traffic_at_deadline_;
  /// Lines in which NCCL's RAS service describes the ranks' state; requested when the deadline has passed.
  std::future<std::vector<std::string>> ras_;
};

}  // namespace collbench::agent
