#pragma once
// The agent's view of one launch: its rank processes, what it waits for, its deadline, and how it ends. Never
// blocks except while killed processes are reaped.
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

#include "agent/forensics/forensics.h"
#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"
#include "agent/sampling.h"
#include "agent/spawn.h"
#include "metrics/control_groups.h"

namespace collbench::agent {

/// Warnings of one rank that are handed on one by one; of more, their number.
inline constexpr std::size_t kMostWarnings = 100;

/// One local rank as the agent sees it.
struct RankProcess {
  int rank = 0;
  std::vector<int> cpus;  // it was told to run there; empty = anywhere
  std::vector<int> memory_nodes;
  pid_t pid = -1;
  UniqueFd control, error_output, engine_log;
  LineReader control_lines, error_lines;
  LineWriter writer;
  std::deque<std::string> log_tail;  // its last lines on stderr
  std::size_t output_bytes = 0;      // of stderr, handed on
  std::size_t lines_left_out = 0;
  std::optional<int> exit_status;      // as waitpid gives it; set = reaped
  std::optional<RankFailed> reported;  // its own last words
  std::optional<RankReady> ready;
  std::optional<std::string> outcome;  // of the block being measured
  int exchanges = 0;                   // blobs it has given
  std::vector<std::uint64_t> stack;    // addresses it has written so far
  bool stack_complete = false;
  std::vector<std::string> crash_stack;  // of the fault it dies of
  std::size_t warnings = 0;
  [[nodiscard]] bool alive() const noexcept { return pid > 0 && !exit_status; }
};

class Launch {
 public:
  using Send = std::function<void(const std::string& line)>;

  /// Starts the ranks. @param line the launch message as it came, handed on to the ranks
  /// @param host name of this machine, for sentences
  /// @param engine what its ranks run, nullptr where it is not known
  Launch(LaunchRequest request, const std::string& line, std::string host, const EngineEntry* engine,
         Send send);
  /// Kills and reaps whatever is left.
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  void exchanged(const std::string& line);
  /// @throws Error(kProtocol) when the launch is not idle
  void measure(const MeasureRequest& request, const std::string& line);
  void stop();
  /// A block is being measured: nothing must disturb.
  [[nodiscard]] bool measuring() const noexcept { return state_ == State::kMeasuring; }
  void add_living(std::vector<FollowedRank>& ranks) const;

  /// What poll() should watch for this launch, and what to do then (any order; reads never block).
  void add_to_poll(std::vector<pollfd>& set) const;
  void read_all();
  /// @returns whether the process was one of ours
  bool on_exit(pid_t pid, int status);
  /// CLOCK_MONOTONIC instant at which on_time must be called; INT64_MAX = none
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  void on_time();

  /// `stopped` or `failed` has been sent and no process is left.
  [[nodiscard]] bool over() const noexcept { return state_ == State::kOver; }
  void kill_all();
  /// Hands on what libraries of the engine logged, once; for the end, when no rank writes any more.
  void tell_engine_logs();

 private:
  enum class State {
    kConnecting,
    kIdle,
    kMeasuring,
    kCollecting,   // something broke: the other ranks' last words are awaited for a moment
    kDumping,      // nobody answered in time: stacks are awaited, and a second of the interfaces
    kStopping,     // told to leave
    kHanging,      // did not leave: stacks are awaited
    kTerminating,  // still there: TERM sent
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
  void begin_dumping();
  void ask_stacks();
  /// The process in which the engine of this local rank works; 0 = none.
  [[nodiscard]] pid_t worker_of(std::size_t index) const;
  [[nodiscard]] std::optional<std::size_t> missing_at_rendezvous() const;
  [[nodiscard]] bool closing() const noexcept {
    return state_ == State::kStopping || state_ == State::kHanging || state_ == State::kTerminating;
  }
  void tell_closing(const RankProcess& rank, const std::string& what, const std::vector<std::string>& stack);
  void tell_warnings();
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
      metrics::out_of_memory_kills();  // before its ranks began
  Send send_;
  SharedBoard board_;
  std::vector<RankProcess> ranks_;
  State state_ = State::kConnecting;
  std::optional<std::size_t> missing_;  // at the rendezvous when the deadline passed
  bool broken_while_connecting_ = true;
  bool awaits_cause_ = false;  // collecting goes on: nobody has said yet why
  std::int64_t started_ns_ = 0;
  std::int64_t due_ns_ = INT64_MAX;
  std::int64_t deadline_ns_ = 0;  // length of the phase
  std::optional<MeasureRequest> measuring_;
  std::map<std::string, std::uint64_t> received_before_;
  std::vector<RankReport> at_deadline_;
  TrafficCounters traffic_before_, traffic_at_deadline_;
  std::future<std::vector<std::string>> ras_;  // asked when the deadline came
};

}  // namespace collbench::agent
