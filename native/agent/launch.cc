#include "agent/launch.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agent/cores.h"
#include "agent/forensics.h"
#include "agent/rank_process.h"
#include "agent/stack_dump.h"
#include "agent/symbols.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/spin.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kLogTailLines = 20;
constexpr std::int64_t kLastWordsNs = 300'000'000;      // from the first failure to the sentence about it
constexpr std::int64_t kStackNs = 1'000'000'000;        // for ranks to write their stacks
constexpr std::int64_t kPoliteNs = 3'000'000'000;       // from stop to TERM, and from TERM to KILL
constexpr std::int64_t kUnkillableNs = 10'000'000'000;  // a killed process that is still there will stay

}  // namespace

Launch::Launch(LaunchRequest request, const std::string& line, std::string host, Send send)
    : request_(std::move(request)),
      host_(std::move(host)),
      send_(std::move(send)),
      board_(static_cast<int>(request_.local_ranks.size())),
      started_ns_(now_ns()),
      due_ns_(started_ns_ + request_.deadline_ns),
      deadline_ns_(request_.deadline_ns) {
  try {
    start_ranks(line);
  } catch (const Error& error) {
    fail({"setup", error_code_name(error.code()), std::nullopt, "starting", error.what(), {}});
  }
}

Launch::~Launch() { kill_all(); }

void Launch::start_ranks(const std::string& line) {
  // An engine with threads of its own (NCCL's proxies) must not find them all on one core.
  const auto [together, before] = request_.together;
  const std::size_t sharing = std::max(request_.local_ranks.size(), static_cast<std::size_t>(together));
  if (spins_for(static_cast<int>(sharing)) == 0) board_.board().spins = 0;
  const auto cores = request_.engine == "nccl" ? std::nullopt : choose_cores(sharing);
  for (std::size_t i = 0; i < request_.local_ranks.size(); ++i) {
    SpawnRequest spawn;
    spawn.rank = request_.local_ranks[i];
    spawn.board_index = static_cast<int>(i);
    spawn.board_fd = board_.fd();
    if (cores) spawn.cpu = cores->at(static_cast<std::size_t>(before) + i);
    spawn.environment = request_.environment;
    SpawnedRank spawned = spawn_rank(spawn);
    RankProcess& rank = ranks_.emplace_back();
    rank.rank = spawn.rank;
    rank.cpu = spawn.cpu;
    rank.pid = spawned.pid;
    rank.control = std::move(spawned.control);
    rank.error_output = std::move(spawned.error_output);
    rank.writer.write(rank.control.get(), line + "\n");
  }
}

void Launch::pass_on(const std::string& line) {
  // A rank that is gone shows up as its death; here its closed socket is no news.
  for (RankProcess& rank : ranks_)
    if (rank.control.get() >= 0) rank.writer.write(rank.control.get(), line + "\n");
}

void Launch::exchanged(const std::string& line) {
  if (state_ == State::kConnecting) pass_on(line);
}

void Launch::measure(const MeasureRequest& request, const std::string& line) {
  if (state_ != State::kIdle) {
    if (state_ == State::kConnecting || state_ == State::kMeasuring)
      throw Error(ErrorCode::kProtocol,
                  "measure came while launch " + std::to_string(request_.launch) +
                      (state_ == State::kConnecting ? " was connecting" : " was measuring"));
    return;  // it is failing or ending: the controller is about to be told
  }
  state_ = State::kMeasuring;
  measuring_ = request;
  deadline_ns_ = request.deadline_ns;
  due_ns_ = now_ns() + deadline_ns_;
  for (RankProcess& rank : ranks_) rank.outcome.reset();
  received_before_ = metrics::read_received_bytes();
  pass_on(line);
}

void Launch::stop() {
  if (state_ == State::kOver || state_ == State::kStopping || state_ == State::kTerminating) return;
  state_ = State::kStopping;
  // A rank inside a measurement cannot read; it hears of the end through the board.
  board_.board().abort.store(1);
  pass_on(R"({"type":"stop","launch":)" + std::to_string(request_.launch) + "}");
  due_ns_ = now_ns() + kPoliteNs;
  if (all_gone()) finish_stop();
}

void Launch::add_living(std::vector<FollowedRank>& ranks) const {
  for (const RankProcess& rank : ranks_)
    if (rank.alive())
      ranks.push_back({rank.rank, rank.pid, rank.ready && rank.ready->unbound ? std::nullopt : rank.cpu});
}

void Launch::add_to_poll(std::vector<pollfd>& set) const {
  for (const RankProcess& rank : ranks_) {
    const short out = rank.writer.waiting() ? POLLOUT : 0;
    if (rank.control.get() >= 0) set.push_back({rank.control.get(), static_cast<short>(POLLIN | out), 0});
    if (rank.error_output.get() >= 0) set.push_back({rank.error_output.get(), POLLIN, 0});
  }
}

void Launch::read_all() {
  for (RankProcess& rank : ranks_) {
    if (rank.error_output.get() >= 0 &&
        !rank.error_lines.drain(rank.error_output.get(),
                                [&](const std::string& line) { on_error_line(rank, line); }))
      rank.error_output.reset();
    if (rank.control.get() < 0) continue;
    rank.writer.flush(rank.control.get());
    if (!rank.control_lines.drain(rank.control.get(),
                                  [&](const std::string& line) { on_rank_line(rank, line); }))
      rank.control.reset();
  }
  after_progress();
}

void Launch::on_error_line(RankProcess& rank, const std::string& line) {
  if (line.starts_with(kStackPrefix)) {
    const std::string rest = line.substr(kStackPrefix.size());
    if (rest == kStackEnd)
      rank.stack_complete = true;
    else
      rank.stack.push_back(std::strtoull(rest.c_str(), nullptr, 16));
    return;
  }
  rank.log_tail.push_back(line);
  if (rank.log_tail.size() > kLogTailLines) rank.log_tail.pop_front();
  if (line.find(" WARN ") != std::string::npos)
    send_(log_line("warn", request_.launch, rank.rank, line));
  else if (line.find(" INFO ") != std::string::npos && log_enabled(LogLevel::kInfo))
    send_(log_line("info", request_.launch, rank.rank, line));
}

void Launch::on_rank_line(RankProcess& rank, const std::string& line) {
  RankMessage message = parse_rank_message(line);
  if (const auto* exchange = std::get_if<RankExchange>(&message)) {
    ++rank.exchanges;
    if (state_ == State::kConnecting) send_(exchange_line(request_.launch, rank.rank, *exchange));
  } else if (auto* ready = std::get_if<RankIsReady>(&message)) {
    rank.ready = std::move(ready->ready);
  } else if (auto* measured = std::get_if<RankMeasured>(&message)) {
    rank.outcome = std::move(measured->outcome_json);
  } else {
    rank.reported = std::get<RankFailed>(std::move(message));
    if (state_ == State::kConnecting || state_ == State::kIdle || state_ == State::kMeasuring)
      begin_collecting();
  }
}

void Launch::after_progress() {
  const auto every = [this](auto condition) { return std::all_of(ranks_.begin(), ranks_.end(), condition); };
  if (state_ == State::kConnecting && every([](const RankProcess& r) { return r.ready.has_value(); })) {
    std::vector<ReadyRank> ready;
    for (const RankProcess& r : ranks_)
      ready.push_back({r.rank, r.pid, r.ready->unbound ? std::nullopt : r.cpu, *r.ready});
    state_ = State::kIdle;
    due_ns_ = INT64_MAX;
    send_(ready_line(request_.launch, now_ns() - started_ns_, ready));
  } else if (state_ == State::kMeasuring &&
             every([](const RankProcess& r) { return r.outcome.has_value(); })) {
    std::map<std::string, std::uint64_t> bytes = metrics::read_received_bytes();
    for (auto& [name, value] : bytes) {
      const auto before = received_before_.find(name);
      value -= before == received_before_.end() ? value : std::min(before->second, value);
    }
    std::vector<std::string> outcomes;
    for (RankProcess& r : ranks_) outcomes.push_back(std::move(*r.outcome));
    state_ = State::kIdle;
    due_ns_ = INT64_MAX;
    send_(measured_line(request_.launch, measuring_->spec.trial.block, outcomes, bytes));
    measuring_.reset();
  } else if (state_ == State::kCollecting &&
             every([](const RankProcess& r) { return r.reported || r.exit_status; })) {
    fail_dead_or_reported();
  } else if (state_ == State::kDumping && every([](const RankProcess& r) {
               return r.stack_complete || !r.alive() || process_state(r.pid) == 'T';
             })) {
    fail_hang();
  }
}

bool Launch::on_exit(pid_t pid, int status) {
  const auto found =
      std::find_if(ranks_.begin(), ranks_.end(), [&](const RankProcess& r) { return r.pid == pid; });
  if (found == ranks_.end() || found->exit_status) return false;
  found->exit_status = status;
  read_all();  // its last words may still be in the pipes
  if (state_ == State::kStopping || state_ == State::kTerminating) {
    if (all_gone()) finish_stop();
  } else if (state_ == State::kConnecting || state_ == State::kIdle || state_ == State::kMeasuring) {
    begin_collecting();
  }
  after_progress();
  return true;
}

void Launch::on_time() {
  if (now_ns() < due_ns_) return;
  due_ns_ = INT64_MAX;
  switch (state_) {
    case State::kConnecting:
    case State::kMeasuring:
      begin_dumping();
      break;
    case State::kCollecting:
      fail_dead_or_reported();
      break;
    case State::kDumping:
      fail_hang();
      break;
    case State::kStopping:
      for (const RankProcess& rank : ranks_)
        if (rank.alive()) kill(-rank.pid, SIGTERM);
      state_ = State::kTerminating;
      due_ns_ = now_ns() + kPoliteNs;
      break;
    case State::kTerminating:
      kill_all();
      finish_stop();
      break;
    case State::kIdle:
    case State::kOver:
      break;
  }
}

void Launch::begin_collecting() {
  broken_while_connecting_ = state_ == State::kConnecting;
  at_deadline_ = reports();
  state_ = State::kCollecting;
  due_ns_ = now_ns() + kLastWordsNs;
  board_.board().abort.store(1);  // lets the others out of their waits, with an error of their own
}

void Launch::begin_dumping() {
  broken_while_connecting_ = state_ == State::kConnecting;
  at_deadline_ = reports();
  state_ = State::kDumping;
  due_ns_ = now_ns() + kStackNs;
  for (RankProcess& rank : ranks_) {
    rank.stack.clear();
    if (rank.alive()) syscall(SYS_tgkill, rank.pid, rank.pid, SIGUSR2);
  }
  after_progress();
}

std::vector<RankReport> Launch::reports() const {
  std::vector<RankReport> reports;
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankProcess& rank = ranks_[i];
    const RankProgress& progress = *board_.board().progress(static_cast<int>(i));
    const std::int64_t changed = progress.changed_ns.load();
    reports.push_back({rank.rank,
                       rank.pid,
                       rank.alive(),
                       name_of(progress.phase.load()),
                       progress.block.load(),
                       progress.iterations_done.load(),
                       now - (changed > 0 ? changed : started_ns_),
                       {},
                       {}});
  }
  return reports;
}

/// ", in allreduce 1 MiB, iteration 17" or ", connecting", from the reports taken at the moment it broke.
std::string Launch::doing(std::size_t index) const {
  if (broken_while_connecting_) return "while connecting over " + request_.transport;
  if (!measuring_) return "between two measurements";
  return "in " + operation_in_words(measuring_->spec.operation, request_.ranks) + ", iteration " +
         std::to_string(at_deadline_[index].iterations_done + 1);
}

void Launch::fail_dead_or_reported() {
  std::vector<RankEnd> ends;
  for (const RankProcess& r : ranks_)
    ends.push_back(r.reported ? RankEnd{false, r.reported->code, r.reported->raised_ns}
                              : RankEnd{r.exit_status.has_value(), "", 0});
  const std::size_t i = first_cause(ends).value_or(0);
  const RankProcess& rank = ranks_[i];
  LaunchFailure failure;
  failure.rank = rank.rank;
  failure.phase = broken_while_connecting_ ? "connecting" : at_deadline_[i].phase;
  const std::string who = "rank " + std::to_string(rank.rank) + " on " + host_ + " ";
  if (ends[i].died) {
    failure.kind = "rank-died";
    failure.code = WIFSIGNALED(*rank.exit_status) ? signal_name(WTERMSIG(*rank.exit_status)) : "exit";
    failure.message = who + death_in_words(*rank.exit_status) + " " + doing(i);
  } else {
    failure.kind = broken_while_connecting_ ? "setup" : "rank-error";
    failure.code = rank.reported ? rank.reported->code : error_code_name(ErrorCode::kInternal);
    failure.message =
        who + "failed " + doing(i) + ": " + (rank.reported ? rank.reported->message : "no reason given");
  }
  fail(std::move(failure));
}

void Launch::fail_hang() {
  std::string states;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankProcess& rank = ranks_[i];
    const char state = rank.alive() ? process_state(rank.pid) : '?';
    states += state;
    std::vector<std::string>& stack = at_deadline_[i].stack;
    if (!rank.stack.empty()) {
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
  const auto culprit = likely_culprit(at_deadline_, states, progress);
  LaunchFailure failure;
  failure.kind = "hang";
  failure.code = error_code_name(ErrorCode::kTimeout);
  const std::size_t i = culprit.value_or(0);
  failure.phase = broken_while_connecting_ ? "connecting" : at_deadline_[i].phase;
  const std::string limit = " (deadline " + seconds_in_words(deadline_ns_) + ")";
  if (!broken_while_connecting_ && still_moving(at_deadline_, states, deadline_ns_)) {
    failure.code = "slow";
    failure.message = "ranks on " + host_ + " still got on " + doing(i) + ", when the time was up" + limit;
  } else if (culprit) {
    failure.rank = ranks_[i].rank;
    failure.message =
        "rank " + std::to_string(ranks_[i].rank) + " on " + host_ + " stopped answering " + doing(i) + limit;
    if (states[i] == 'T' || states[i] == 't')
      failure.message += ": it is stopped by a signal (process state T)";
    if (states[i] == 'D') failure.message += ": it waits inside the kernel (process state D)";
  } else {
    failure.message = "no rank on " + host_ + " got on " + doing(0) + limit;
  }
  fail(std::move(failure));
}

void Launch::fail(LaunchFailure failure) {
  if (at_deadline_.empty()) at_deadline_ = reports();
  kill_all();
  for (std::size_t i = 0; i < ranks_.size() && i < at_deadline_.size(); ++i)
    at_deadline_[i].log_tail.assign(ranks_[i].log_tail.begin(), ranks_[i].log_tail.end());
  failure.ranks = std::move(at_deadline_);
  state_ = State::kOver;
  due_ns_ = INT64_MAX;
  send_(failed_line(request_.launch, failure));
}

void Launch::finish_stop() {
  state_ = State::kOver;
  due_ns_ = INT64_MAX;
  send_(stopped_line(request_.launch));
}

bool Launch::all_gone() const {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const RankProcess& r) { return r.alive(); });
}

void Launch::kill_all() {
  board_.board().abort.store(1);
  // Only groups whose leader is not reaped yet: the number of a reaped one may belong to somebody else by
  // now.
  for (const RankProcess& rank : ranks_)
    if (rank.alive()) kill(-rank.pid, SIGKILL);
  // SIGCHLD is blocked in the agent, so waiting for it cannot miss one. A process stuck in a driver cannot be
  // reaped; leaving it is all that is left then.
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const timespec slice{0, 100'000'000};
  const std::int64_t end = now_ns() + kUnkillableNs;
  for (bool waiting = true; waiting && now_ns() < end;) {
    waiting = false;
    for (RankProcess& rank : ranks_) {
      int status = 0;
      if (rank.alive() && waitpid(rank.pid, &status, WNOHANG) == rank.pid) rank.exit_status = status;
      waiting = waiting || rank.alive();
    }
    if (waiting) sigtimedwait(&child, nullptr, &slice);
  }
  for (const RankProcess& rank : ranks_)
    if (rank.alive())
      log(LogLevel::kWarn, "process " + std::to_string(rank.pid) + " of rank " + std::to_string(rank.rank) +
                               " does not end on SIGKILL (state " + process_state(rank.pid) +
                               "): a driver holds it");
}

}  // namespace collbench::agent
