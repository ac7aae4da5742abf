// Failure of a launch: collects the ranks' errors and facts from outside the processes, and writes the
// message.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agent/forensics/engine_log.h"
#include "agent/forensics/forensics.h"
#include "agent/forensics/symbols.h"
#include "agent/forensics/workers.h"
#include "agent/launch.h"
#include "core/clock.h"
#include "core/error.h"
#include "workloads/registry.h"

namespace collbench::agent {
namespace {

constexpr std::int64_t kFailureReportNs = 300'000'000;  // Time from the first failure to its report.
constexpr std::int64_t kLookNs = 1'000'000'000;  // Time for stacks, RAS and watching the network interfaces.
constexpr std::size_t kEngineTailLines = 10;

}  // namespace

void Launch::begin_collecting() {
  broken_while_connecting_ = state_ == State::kConnecting;
  at_deadline_ = reports();
  state_ = State::kCollecting;
  due_ns_ = now_ns() + kFailureReportNs;
  shared_state_.abort.store(1);  // Ends the waits of the other ranks, which then report kCancelled.
}

void Launch::watch_block() {
  const ProgressWatch::Finding finding = watch_->look(reports(), now_ns());
  if (finding == ProgressWatch::Finding::kHang) return begin_dumping();
  due_ns_ = watch_->due_ns();
  if (finding == ProgressWatch::Finding::kProgress)
    send_(to_line(ProgressEvent{request_.launch, measuring_->spec.trial.block}));
}

void Launch::begin_dumping() {
  broken_while_connecting_ = state_ == State::kConnecting;
  at_deadline_ = reports();
  state_ = State::kDumping;
  due_ns_ = now_ns() + kLookNs;
  traffic_at_deadline_ = read_traffic();
  // Read before the stacks are requested, because a signal may end a wait.
  if (broken_while_connecting_) missing_ = missing_at_rendezvous();
  if (request_.engine == "nccl") {
    const char* address = std::getenv("NCCL_RAS_ADDR");
    ras_ = std::async(std::launch::async, ask_ras, std::string(address == nullptr ? kRasAddress : address),
                      kLookNs);
  }
  ask_stacks();
}

void Launch::ask_stacks() {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankProcess& rank = ranks_[i];
    rank.stack.clear();
    if (!rank.alive()) continue;
    syscall(SYS_tgkill, rank.pid, rank.pid, SIGUSR2);
    if (const pid_t worker = worker_of(i); worker > 0) ask_worker_stacks(worker);
  }
}

pid_t Launch::worker_of(std::size_t index) const {
  return shared_state_.progress(static_cast<int>(index))->worker.load();
}

/// Returns the index of the first local rank that has not connected to the common address of all ranks;
/// nullopt if all have, or it is not known. Ranks are checked from rank 0 on, because rank 0 listens there
/// and the others cannot connect before.
std::optional<std::size_t> Launch::missing_at_rendezvous() const {
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (shared_state_.progress(static_cast<int>(i))->rendezvous.load() == Rendezvous::kMissing) return i;
  return std::nullopt;
}

/// Returns true if a rank has received a fatal signal and written its stack, but its process has not ended
/// yet.
bool Launch::dies() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const RankProcess& r) { return r.alive() && !r.crash_stack.empty(); });
}

/// Number of innermost stack frames in a warning. They suffice to show what the rank was doing and which
/// function of this project called it.
constexpr std::size_t kFramesOfClosing = 10;

/// Sends a warning about a rank that failed while it ended, after the last lines of its stderr. The launch
/// does not count as failed, because it was told to stop.
/// @param what how the rank failed
void Launch::send_closing_problem(const RankProcess& rank, const std::string& what,
                                  const std::vector<std::string>& stack) {
  std::string text = "rank " + std::to_string(rank.rank) + " on " + host_ + " " + what +
                     " while closing its connections over " + request_.transport;
  const char* before = "; stack: ";
  const std::size_t shown = std::min(stack.size(), kFramesOfClosing);
  for (std::size_t i = 0; i < shown; ++i) text += std::exchange(before, " < ") + stack[i];
  if (shown < stack.size()) text += " < ... (" + std::to_string(stack.size() - shown) + " more)";
  for (const std::string& line : rank.log_tail)
    send_(to_line(LogEvent{"info", request_.launch, rank.rank, line}));
  send_(to_line(LogEvent{"warn", request_.launch, rank.rank, text}));
}

void Launch::send_dropped_warning_count() {
  for (RankProcess& rank : ranks_) {
    if (rank.warnings > kMaxWarnings)
      send_(to_line(LogEvent{"warn", request_.launch, rank.rank,
                             std::to_string(rank.warnings - kMaxWarnings) + " more warnings of rank " +
                                 std::to_string(rank.rank) + " on " + host_ + " are not shown"}));
    rank.warnings = 0;
  }
}

std::vector<RankReport> Launch::reports() const {
  std::vector<RankReport> reports;
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankProcess& rank = ranks_[i];
    const RankProgress& progress = *shared_state_.progress(static_cast<int>(i));
    const std::int64_t changed = progress.changed_ns.load();
    reports.push_back({rank.rank,
                       rank.pid,
                       rank.alive(),
                       name_of(progress.phase.load()),
                       progress.block.load(),
                       progress.iterations_done.load(),
                       now - (changed > 0 ? changed : started_ns_),
                       {},
                       {},
                       {}});
  }
  return reports;
}

/// Sets phase and activity of `failure`: in which phase local rank `index` was when the launch failed, and
/// whether the launch was connecting, measuring or idle.
void Launch::add_activity(LaunchFailure& failure, std::size_t index) const {
  failure.phase = broken_while_connecting_ ? "connecting" : at_deadline_[index].phase;
  failure.activity = broken_while_connecting_ ? LaunchActivity::kConnecting
                     : measuring_             ? LaunchActivity::kMeasuring
                                              : LaunchActivity::kIdle;
}

std::vector<RankEnd> Launch::ends() const {
  std::vector<RankEnd> ends;
  for (const RankProcess& r : ranks_)
    ends.push_back(r.reported ? RankEnd{false, r.reported->code, r.reported->raised_ns}
                              : RankEnd{r.exit_status.has_value(), "", 0});
  return ends;
}

void Launch::fail_dead_or_reported() {
  const std::vector<RankEnd> ends = this->ends();
  const std::size_t i = first_cause(ends).value_or(0);
  const RankProcess& rank = ranks_[i];
  LaunchFailure failure;
  failure.rank = rank.rank;
  add_activity(failure, i);
  if (ends[i].died) {
    const int status = *rank.exit_status;
    failure.kind = FailureKind::kRankDied;
    failure.code = WIFSIGNALED(status) ? signal_name(WTERMSIG(status)) : "exit";
    if (!WIFSIGNALED(status)) failure.exit_status = WEXITSTATUS(status);
    const auto memory_kills = metrics::out_of_memory_kills();
    failure.out_of_memory =
        failure.code == "SIGKILL" && memory_kills && memory_kills_ && *memory_kills > *memory_kills_;
  } else {
    failure.kind = broken_while_connecting_ ? FailureKind::kSetup : FailureKind::kRankError;
    failure.code = rank.reported ? rank.reported->code : error_code_name(ErrorCode::kInternal);
    failure.reason = rank.reported ? rank.reported->message : "no reason given";
  }
  fail(std::move(failure));
}

void Launch::fail_hang() {
  std::string states;
  std::vector<std::vector<std::string>> worker_stacks;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankProcess& rank = ranks_[i];
    const pid_t worker = worker_of(i);
    const char state = rank.alive() ? process_state(worker > 0 ? worker : rank.pid) : '?';
    states += state;
    std::vector<std::string>& stack = at_deadline_[i].stack;
    if (worker > 0) worker_stacks.push_back(last_python_stack(read_engine_log(rank.engine_log.get())));
    if (worker > 0 && !worker_stacks.back().empty()) {
      stack = worker_stacks.back();
    } else if (worker > 0 && rank.alive()) {
      stack = {std::string("its process ") + std::to_string(worker) + " is in state " + state};
    } else if (!rank.stack.empty()) {
      stack = symbolize(rank.pid, rank.stack);
    } else if (rank.alive()) {
      const std::string wait = kernel_wait(rank.pid);
      stack = {std::string("process state ") + state + (wait.empty() ? "" : ", in the kernel at " + wait)};
    }
  }
  std::vector<std::pair<std::uint64_t, std::int64_t>> progress;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    progress.emplace_back(at_deadline_[i].block,
                          broken_while_connecting_ ? ranks_[i].exchanges : at_deadline_[i].iterations_done);
  const auto absentee =
      states.find_first_of("TtD?") == std::string::npos ? only_rank_not_waiting(worker_stacks) : std::nullopt;
  auto culprit = absentee ? absentee : likely_culprit(at_deadline_, states, progress);
  if (missing_) culprit = missing_;
  LaunchFailure failure;
  failure.kind = FailureKind::kHang;
  failure.code = error_code_name(ErrorCode::kTimeout);
  const std::size_t i = culprit.value_or(0);
  add_activity(failure, i);
  if (culprit) {
    failure.rank = ranks_[i].rank;
    failure.process_state = states[i];
    if (absentee && culprit == absentee) failure.code = error_code_name(ErrorCode::kAbsent);
    if (missing_) failure.code = error_code_name(ErrorCode::kNeverJoined);
    if (const pid_t worker = worker_of(i); worker > 0) failure.worker_pid = worker;
  }
  fail(std::move(failure));
}

void Launch::fail(LaunchFailure failure) {
  if (at_deadline_.empty()) at_deadline_ = reports();
  failure.traffic = traffic_between(traffic_before_, traffic_at_deadline_, read_traffic());
  if (ras_.valid()) failure.ras = ras_.get();
  kill_all();
  for (std::size_t i = 0; i < ranks_.size() && i < at_deadline_.size(); ++i) {
    if (!ranks_[i].crash_stack.empty()) at_deadline_[i].stack = ranks_[i].crash_stack;
    at_deadline_[i].log_tail.assign(ranks_[i].log_tail.begin(), ranks_[i].log_tail.end());
    std::vector<std::string>& tail = at_deadline_[i].engine_tail;
    tail = engine_log_tail(ranks_[i].engine_log.get(), kEngineTailLines);
    if (worker_of(i) > 0 && !at_deadline_[i].stack.empty()) std::erase_if(tail, is_stack_line);
  }
  send_engine_logs();
  send_dropped_warning_count();
  failure.ranks = std::move(at_deadline_);
  state_ = State::kOver;
  due_ns_ = INT64_MAX;
  failure.launch = request_.launch;
  send_(to_line(failure));
}

}  // namespace collbench::agent
