#include "agent/launch.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agent/cores.h"
#include "agent/forensics/engine_log.h"
#include "agent/forensics/forensics.h"
#include "agent/forensics/symbols.h"
#include "agent/rank_process.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/spin.h"
#include "metrics/parse.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kLogTailLines = 20;
// Largest output of one rank that is sent on, in bytes.
constexpr std::size_t kMaxOutput = std::size_t{256} << 10;
constexpr std::int64_t kStacksNs = 500'000'000;    // Time to wait for the stacks of ranks that do not end.
constexpr std::int64_t kPoliteNs = 3'000'000'000;  // Time from stop to SIGTERM, and from SIGTERM to SIGKILL.
// Time after which a killed process that is still there is given up.
constexpr std::int64_t kUnkillableNs = 10'000'000'000;

/// Returns the CPU to which the rank is bound; nullopt if it may run on several CPUs, or has been unbound
/// because another container on this machine uses the same cores.
std::optional<int> core_of(const RankProcess& rank) {
  if (rank.cpus.size() != 1 || (rank.ready && rank.ready->unbound)) return std::nullopt;
  return rank.cpus.front();
}

/// Creates `memory`, which agent and rank processes of one launch share, and the SharedState in it.
/// @param ranks number of the launch's ranks on this machine
/// @throws Error(kInternal) if the machine has not enough memory
SharedState& make_state(ipc::SharedMemory& memory, int ranks) {
  if (!memory.create(shared_state_bytes(ranks)) || memory.map() == nullptr)
    throw system_error(ErrorCode::kInternal, "making the memory that ranks share", errno);
  return *make_shared_state(memory.map(), ranks);
}

}  // namespace

Launch::Launch(LaunchRequest request, const std::string& line, std::string host, const EngineEntry* engine,
               SendLine send)
    : request_(std::move(request)),
      host_(std::move(host)),
      send_(std::move(send)),
      shared_state_(make_state(state_memory_, static_cast<int>(request_.local_ranks.size()))),
      started_ns_(now_ns()),
      due_ns_(started_ns_ + request_.deadline_ns),
      traffic_before_(read_traffic()) {
  try {
    start_ranks(line, engine);
  } catch (const Error& error) {
    LaunchFailure failure;
    failure.kind = FailureKind::kSetup;
    failure.code = error_code_name(error.code());
    failure.phase = "starting";
    failure.activity = LaunchActivity::kStarting;
    failure.reason = error.what();
    fail(std::move(failure));
  }
}

Launch::~Launch() { kill_all(); }

void Launch::start_ranks(const std::string& line, const EngineEntry* engine) {
  const auto [together, before] = request_.together.value_or(CoreSharing{});
  const std::size_t sharing = std::max(request_.local_ranks.size(), static_cast<std::size_t>(together));
  if (spins_for(static_cast<int>(sharing)) == 0) shared_state_.spins = 0;
  const auto cores =
      request_.placements ? std::nullopt : choose_cores(engine, request_.settings, sharing, request_.turn);
  for (std::size_t i = 0; i < request_.local_ranks.size(); ++i) {
    const int number = request_.local_ranks[i];
    SpawnRequest wanted;
    wanted.words = {"rank", std::to_string(number), std::to_string(i)};
    wanted.shared_state_fd = state_memory_.fd();
    if (cores) wanted.cpus = {cores->at(static_cast<std::size_t>(before) + i)};
    if (request_.placements) {
      wanted.cpus = (*request_.placements)[i].cpus;
      wanted.memory_nodes = (*request_.placements)[i].memory_nodes;
    }
    FileDescriptor engine_log = make_engine_log();
    wanted.log_fd = engine_log.get();
    wanted.environment = request_.environment;
    if (engine != nullptr && engine->environment != nullptr)
      wanted.environment.merge(engine->environment(request_.transport, request_.options));
    SpawnedProcess spawned = spawn(wanted);
    RankProcess& rank = ranks_.emplace_back();
    rank.rank = number;
    rank.cpus = wanted.cpus;
    rank.memory_nodes = wanted.memory_nodes;
    rank.engine_log = std::move(engine_log);
    rank.pid = spawned.pid;
    rank.control = std::move(spawned.control);
    rank.error_output = std::move(spawned.error_output);
    rank.writer.write(rank.control.get(), line + "\n");
  }
}

void Launch::pass_on(const std::string& line) {
  // A failed write is ignored: a rank that is gone is reported as a death.
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
    return;  // The launch is failing or ending already; the controller is about to receive the cause.
  }
  state_ = State::kMeasuring;
  measuring_ = request;
  watch_.emplace(now_ns(), request.deadline_ns);
  due_ns_ = watch_->due_ns();
  for (RankProcess& rank : ranks_) rank.outcome.reset();
  received_before_ = metrics::read_received_bytes();
  traffic_before_ = read_traffic();
  pass_on(line);
}

void Launch::stop() {
  if (state_ == State::kOver || closing()) return;
  state_ = State::kStopping;
  // A rank inside a measurement does not read messages; the abort flag in the shared state ends it.
  shared_state_.abort.store(1);
  pass_on(R"({"type":"stop","launch":)" + std::to_string(request_.launch) + "}");
  due_ns_ = now_ns() + kPoliteNs;
  if (all_gone()) finish_stop();
}

void Launch::add_living(std::vector<FollowedRank>& ranks) const {
  for (const RankProcess& rank : ranks_)
    if (rank.alive()) ranks.push_back({rank.rank, rank.pid, core_of(rank)});
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
    if (rest == kStackEnd) return;
    if (rest.starts_with(kStackCrash))
      rank.crash_stack = crash_stack(rank.pid, rank.stack, rest);
    else
      rank.stack.push_back(std::strtoull(rest.c_str(), nullptr, 16));
    return;
  }
  rank.log_tail.push_back(line);
  if (rank.log_tail.size() > kLogTailLines) rank.log_tail.pop_front();
  if (line.find(" WARN ") != std::string::npos) {
    if (++rank.warnings <= kMaxWarnings) send_(to_line(LogEvent{"warn", request_.launch, rank.rank, line}));
  } else if (line.find(" INFO ") != std::string::npos && log_enabled(LogLevel::kInfo)) {
    send_(to_line(LogEvent{"info", request_.launch, rank.rank, line}));
  }
  if (request_.output) hand_on(rank, line);
}

void Launch::hand_on(RankProcess& rank, const std::string& line) {
  if (rank.output_bytes + line.size() > kMaxOutput) {
    if (rank.lines_left_out++ == 0)
      send_(
          to_line(OutputEvent{request_.launch, rank.rank, "stderr",
                              "[more than " + std::to_string(kMaxOutput) + " bytes: the rest is left out]"}));
    return;
  }
  rank.output_bytes += line.size() + 1;
  send_(to_line(OutputEvent{request_.launch, rank.rank, "stderr", line}));
}

void Launch::send_engine_logs() {
  if (!request_.output) return;
  for (RankProcess& rank : ranks_) {
    if (rank.engine_log.get() < 0) continue;
    const std::string text = read_engine_log(rank.engine_log.get());
    rank.engine_log.reset();
    if (!text.empty()) send_(to_line(OutputEvent{request_.launch, rank.rank, "engine", text}));
  }
}

ReadyRank Launch::ready_of(const RankProcess& rank) const {
  return {rank.rank,
          rank.pid,
          core_of(rank),
          *rank.ready,
          metrics::allowed_cpus(rank.pid),
          metrics::memory_policy(rank.pid),
          metrics::cores_among(metrics::allowed_cpus(rank.pid))};
}

/// Returns how the CPUs or memory nodes of the rank, as the kernel reports them, differ from the requested
/// ones, as text; "" if they agree or none were requested.
std::string Launch::binding_problem(const RankProcess& rank) const {
  if (!request_.placements) return "";
  const std::string wanted = metrics::format_list(rank.cpus), cpus = metrics::allowed_cpus(rank.pid);
  if (!wanted.empty() && cpus != wanted)
    return "it may run on CPUs " + cpus + ", not on " + wanted + " as asked";
  const std::string nodes = metrics::format_list(rank.memory_nodes);
  if (const std::string policy = metrics::memory_policy(rank.pid);
      !nodes.empty() && policy != "bind:" + nodes)
    return "it has its memory by policy '" + (policy.empty() ? "default" : policy) + "', not 'bind:" + nodes +
           "' as asked";
  return "";
}

void Launch::on_rank_line(RankProcess& rank, const std::string& line) {
  RankMessage message = parse_rank_message(line);
  if (const auto* exchange = std::get_if<RankExchange>(&message)) {
    ++rank.exchanges;
    if (state_ == State::kConnecting)
      send_(to_line(ExchangeEvent{request_.launch, rank.rank, exchange->key, exchange->data}));
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
    for (const RankProcess& r : ranks_) ready.push_back(ready_of(r));
    for (const RankProcess& r : ranks_)
      if (const std::string problem = binding_problem(r); !problem.empty()) {
        LaunchFailure failure;
        failure.kind = FailureKind::kSetup;
        failure.code = error_code_name(ErrorCode::kUnavailable);
        failure.rank = r.rank;
        failure.phase = "connecting";
        failure.activity = LaunchActivity::kConnecting;
        failure.reason = problem;
        return fail(std::move(failure));
      }
    state_ = State::kIdle;
    due_ns_ = INT64_MAX;
    send_(to_line(ReadyEvent{request_.launch, now_ns() - started_ns_, std::move(ready)}));
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
  }
}

bool Launch::on_exit(pid_t pid, int status) {
  const auto found =
      std::find_if(ranks_.begin(), ranks_.end(), [&](const RankProcess& r) { return r.pid == pid; });
  if (found == ranks_.end() || found->exit_status) return false;
  found->exit_status = status;
  read_all();  // The rank's last lines may still be in the pipes.
  if (closing()) {
    if (WIFSIGNALED(status) && state_ != State::kTerminating)
      send_closing_problem(*found, describe_death(status), found->crash_stack);
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
    case State::kMeasuring:
      watch_block();
      break;
    case State::kConnecting:
      begin_dumping();
      break;
    case State::kCollecting:
      // "Cancelled" is what the other ranks report; the original error of the failing rank is still on its
      // way.
      if (!awaits_cause_ && (!has_own_cause(ends()) || dies())) {
        awaits_cause_ = true;
        due_ns_ = now_ns() + kPoliteNs;
      } else {
        fail_dead_or_reported();
      }
      break;
    case State::kDumping:
      fail_hang();
      break;
    case State::kStopping:
      ask_stacks();
      state_ = State::kHanging;
      due_ns_ = now_ns() + kStacksNs;
      break;
    case State::kHanging:
      for (RankProcess& rank : ranks_) {
        if (!rank.alive()) continue;
        send_closing_problem(rank, "did not end within " + format_seconds(kPoliteNs),
                             symbolize(rank.pid, rank.stack));
        kill(-rank.pid, SIGTERM);
      }
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

void Launch::finish_stop() {
  state_ = State::kOver;
  due_ns_ = INT64_MAX;
  send_dropped_warning_count();
  send_engine_logs();
  send_(to_line(StoppedEvent{request_.launch}));
}

bool Launch::all_gone() const {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const RankProcess& r) { return r.alive(); });
}

void Launch::kill_all() {
  shared_state_.abort.store(1);
  // Only groups whose leader is not reaped yet are killed: the id of a reaped one may belong to another
  // process by now.
  for (const RankProcess& rank : ranks_)
    if (rank.alive()) kill(-rank.pid, SIGKILL);
  // SIGCHLD is blocked in the agent, so waiting for it cannot miss one. A process stuck in a driver cannot be
  // reaped and is left behind.
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
