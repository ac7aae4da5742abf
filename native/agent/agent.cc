#include "agent/agent.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "agent/forensics/reachability.h"
#include "agent/launch.h"
#include "agent/line_channel.h"
#include "agent/probe_process.h"
#include "agent/protocol/protocol.h"
#include "agent/readings.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/process_folder.h"
#include "core/process_tree.h"

namespace collbench::agent {
namespace {

constexpr std::int64_t kLastWordsNs = 1'000'000'000;

/// Blocks the signals that the agent handles, ignores SIGPIPE, and returns a descriptor from which the agent
/// reads the blocked ones as messages. The old signal mask is not restored, because the process belongs to
/// the agent.
FileDescriptor signals_as_messages() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  FileDescriptor fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (fd.get() < 0) throw system_error(ErrorCode::kInternal, "opening a signalfd", errno);
  return fd;
}

class Agent {
 public:
  Agent(int input, int output, const AgentCapabilities& capabilities)
      : input_(input), output_(output), capabilities_(capabilities), signals_(signals_as_messages()) {
    set_non_blocking(output_);
    // Processes that ranks leave behind in their own sessions become children of the agent.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Agent() {
    launches_.clear();
    probings_.clear();
    end_children(
        [&](pid_t child) { return std::find(before_.begin(), before_.end(), child) != before_.end(); });
    // After the last process has ended: a launcher that still runs would write new files.
    remove_folders_of_ended_processes();
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  int run() {
    greet();
    while (!leaving_) {
      wait();
      beat();
      take_signals();
      reap();
      for (auto& [number, launch] : launches_) {
        launch->read_all();
        launch->on_time();
      }
      for (const auto& probing : probings_) {
        probing->read_all();
        probing->on_time();
      }
      for (const ConnectionsEvent& finished : reachability_prober_.step()) send(to_line(finished));
      if (input_ready_ && !leaving_ &&
          !reader_.read_some(input_, [this](const std::string& line) { on_line(line); }))
        leaving_ = true;
      if (!writer_.flush(output_)) leaving_ = true;
      sample();
      std::erase_if(probings_, [](const auto& one) { return one->is_over(); });
      std::erase_if(launches_, [](const auto& one) { return one.second->is_over(); });
    }
    leave();
    return exit_code_;
  }

 private:
  void greet() {
    std::vector<TransportCapability> transports;
    for (const TransportEntry& entry : capabilities_.transports)
      transports.push_back({std::string(entry.name), std::string(entry.summary), entry.probe({})});
    inventory_ = metrics::read_inventory();
    send(
        hello_line(capabilities_.engines, std::move(transports), inventory_, read_host_identity(), now_ns()));
  }

  void leave() {
    for (auto& [number, launch] : launches_) launch->kill_all();
    for (auto& [number, launch] : launches_) launch->send_engine_logs();
    launches_.clear();
    probings_.clear();
    // Logs are longer than a pipe, and a controller that does not read must not keep the agent from exiting.
    const std::int64_t end = now_ns() + kLastWordsNs;
    pollfd output{output_, POLLOUT, 0};
    while (writer_.flush(output_) && writer_.waiting() && now_ns() < end) poll(&output, 1, 100);
  }

  void send(const std::string& line) {
    if (!writer_.write(output_, line)) leaving_ = true;  // The controller no longer reads.
  }

  [[nodiscard]] bool measuring() const {
    return std::any_of(launches_.begin(), launches_.end(),
                       [](const auto& one) { return one.second->measuring(); });
  }

  void sample() {
    if (!readings_.running()) return;
    const bool timed = measuring();
    if (!timed) {
      std::vector<FollowedRank> ranks;
      for (const auto& [number, launch] : launches_) launch->add_living(ranks);
      readings_.follow(ranks);
    }
    readings_.on_turn(timed, writer_.waiting());
  }

  void wait() {
    std::vector<pollfd> set = {{input_, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    // The output is polled only for room, if lines wait, and for a reader that has gone.
    set.push_back({output_, static_cast<short>(writer_.waiting() ? POLLOUT : 0), 0});
    if (readings_.running()) set.push_back({readings_.filling_fd(), POLLIN, 0});
    std::int64_t due = readings_.due_ns(measuring());
    for (const auto& [number, launch] : launches_) {
      launch->add_to_poll(set);
      due = std::min(due, launch->due_ns());
    }
    for (const auto& probing : probings_) {
      probing->add_to_poll(set);
      due = std::min(due, probing->due_ns());
    }
    reachability_prober_.add_to_poll(set);
    due = std::min(due, reachability_prober_.due_ns());
    if (beat_ns_ > 0) due = std::min(due, std::min(next_beat_ns_, heard_ns_ + kBeatsMissed * beat_ns_));
    int timeout_ms = -1;
    if (due != INT64_MAX)
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>((due - now_ns()) / 1'000'000 + 1, 0, INT_MAX));
    if (poll(set.data(), set.size(), timeout_ms) < 0 && errno != EINTR)
      throw system_error(ErrorCode::kInternal, "waiting for messages", errno);
    input_ready_ = set[0].revents != 0;
    if ((set[2].revents & (POLLERR | POLLHUP)) != 0) leaving_ = true;
  }

  /// Sends keep-alive messages, and exits if nothing arrives from the controller for kBeatsMissed intervals.
  /// Does nothing unless the controller's `hello` requested beats. Reason: a connection can break without
  /// notice, and ranks must not continue without a controller.
  void beat() {
    if (beat_ns_ == 0) return;
    const std::int64_t now = now_ns();
    if (input_ready_) heard_ns_ = now;
    if (now - heard_ns_ > kBeatsMissed * beat_ns_) {
      log(LogLevel::kWarn, "agent ends: nothing was heard from the controller for " +
                               std::to_string((now - heard_ns_) / 1'000'000'000) + " s");
      leaving_ = true;
    } else if (now >= next_beat_ns_) {
      next_beat_ns_ = now + beat_ns_;
      send(to_line(BeatEvent{}));
    }
  }

  void take_signals() {
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo == SIGCHLD) continue;
      leaving_ = true;
      exit_code_ = 128 + static_cast<int>(info.ssi_signo);
    }
  }

  /// Reaps children that have ended, and kills their process groups. It runs in every turn of the main loop,
  /// not only after SIGCHLD: while one launch kills its ranks, it may consume the signal for a rank of
  /// another launch.
  void reap() {
    for (;;) {
      siginfo_t info = {};
      if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
      // Kills what the process may have started itself; its process group id is still reserved here.
      kill(-info.si_pid, SIGKILL);
      int status = 0;
      waitpid(info.si_pid, &status, 0);
      for (auto& [number, launch] : launches_)
        if (launch->on_exit(info.si_pid, status)) break;
      for (const auto& probing : probings_)
        if (probing->on_exit(info.si_pid, status)) break;
    }
  }

  void on_line(const std::string& line) {
    if (line.empty()) return;
    std::visit([&](const auto& message) { handle(message, line); }, parse_controller_message(line));
  }

  void handle(const HelloRequest& hello, const std::string&) {
    if (hello.protocol != kProtocolVersion)
      throw Error(ErrorCode::kProtocol, "the controller speaks protocol " + std::to_string(hello.protocol) +
                                            ", this agent " + std::to_string(kProtocolVersion));
    beat_ns_ = hello.beat_ns.value_or(0);
    heard_ns_ = next_beat_ns_ = now_ns();
    // Ranks inherit this variable.
    if (!hello.log_level.empty()) setenv("COLLBENCH_LOG", hello.log_level.c_str(), 1);
  }

  void handle(const BeatRequest&, const std::string&) {}

  void handle(const ClockRequest& request, const std::string&) {
    send(to_line(ClockEvent{request.id, now_ns()}));
  }

  void handle(const ProbeRequest& probe, const std::string& line) {
    if (!loads_plugin(probe)) return send(to_line(ProbedEvent{probe.id, probe_here(capabilities_, probe)}));
    probings_.push_back(
        std::make_unique<ProbeProcess>(probe, line, [this](const std::string& text) { send(text); }));
  }

  void handle(const FactsRequest& facts, const std::string&) {
    send(to_line(FactsEvent{facts.id, facts::read_facts(facts.request)}));
  }
  void handle(const ListenerRequest& listener, const std::string&) {
    send(to_line(reachability_prober_.open_listener(listener)));
  }
  void handle(const ReachabilityProbeRequest& request, const std::string&) {
    reachability_prober_.start_probe(request);
  }

  void handle(const LaunchRequest& request, const std::string& line) {
    if (launches_.count(request.launch) != 0)
      throw Error(ErrorCode::kProtocol, "launch " + std::to_string(request.launch) + " has already started");
    launches_[request.launch] = std::make_unique<Launch>(request, line, inventory_.hostname,
                                                         find_engine(capabilities_.engines, request.engine),
                                                         [this](const std::string& text) { send(text); });
  }

  // Returns the launch, or nullptr: a launch that has just failed is unknown here while the controller still
  // writes to it.
  Launch* find(int number) {
    const auto found = launches_.find(number);
    return found == launches_.end() ? nullptr : found->second.get();
  }
  void handle(const ExchangedMessage& message, const std::string& line) {
    if (Launch* launch = find(message.launch)) launch->exchanged(line);
  }
  void handle(const MeasureRequest& message, const std::string& line) {
    if (Launch* launch = find(message.launch)) launch->measure(message, line);
  }
  void handle(const StopRequest& message, const std::string&) {
    // A launch that ended in this turn is still in the list but would not answer.
    Launch* launch = find(message.launch);
    if (launch != nullptr && !launch->is_over())
      launch->stop();
    else
      send(to_line(StoppedEvent{message.launch}));
  }

  void handle(const SampleRequest& message, const std::string&) { readings_.start(message); }
  void handle(const UnsampleRequest&, const std::string&) { readings_.stop(); }

  int input_, output_;
  const AgentCapabilities& capabilities_;
  FileDescriptor signals_;
  LineReader reader_;
  LineWriter writer_;
  metrics::Inventory inventory_;
  ReachabilityProber reachability_prober_;
  std::map<int, std::unique_ptr<Launch>> launches_;
  std::vector<std::unique_ptr<ProbeProcess>> probings_;
  Readings readings_{[this](const std::string& line) {
    send(line);
    return !writer_.waiting();
  }};
  std::int64_t beat_ns_ = 0, next_beat_ns_ = 0, heard_ns_ = 0;
  /// Processes that were children before the agent's main loop began. A shell that replaced itself by this
  /// program may have left some.
  const std::vector<pid_t> before_ = children();
  bool input_ready_ = false;
  bool leaving_ = false;
  int exit_code_ = 0;
};

}  // namespace

int run_agent(int input, int output, const AgentCapabilities& capabilities) {
  try {
    // The destructor kills every launch, also on an exception.
    return Agent(input, output, capabilities).run();
  } catch (const std::exception& error) {
    log(LogLevel::kWarn, std::string("agent ends: ") + error.what());
    return 1;
  }
}

}  // namespace collbench::agent
