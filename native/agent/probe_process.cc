#include "agent/probe_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agent/control_socket.h"
#include "agent/forensics/engine_log.h"
#include "agent/forensics/forensics.h"
#include "agent/forensics/symbols.h"
#include "agent/protocol/protocol.h"
#include "agent/spawn.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/sha256.h"
#include "core/text.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kFewWords = 20, kManyWords = 1000;
constexpr std::int64_t kStackNs = 500'000'000;  // Time to wait for the stack of a probe that hangs.
constexpr const char* kName = "probe";
constexpr const char* kPlugin = "plugin";
constexpr std::string_view kHostEngine = "cpu";  // The cpu engine has exactly the transports of the table.

const TransportEntry* find_transport(const AgentCapabilities& capabilities, std::string_view name) {
  const auto found = std::find_if(capabilities.transports.begin(), capabilities.transports.end(),
                                  [&](const TransportEntry& entry) { return entry.name == name; });
  return found == capabilities.transports.end() ? nullptr : &*found;
}

TransportCapability of_transport(const AgentCapabilities& capabilities, const ProbeRequest& probe) {
  if (const TransportEntry* found = find_transport(capabilities, probe.transport))
    return {std::string(found->name), std::string(found->summary), found->probe(probe.options)};
  TransportCapability capability;
  capability.name = probe.transport;
  capability.availability.reason = "There is no transport '" + probe.transport + "' in this build.";
  capability.availability.remedy =
      "Use one of: " + join(capabilities.transports, &TransportEntry::name) + ".";
  return capability;
}

std::string name_of(const ProbeRequest& probe) {
  return loads_plugin(probe) ? probe.transport + ":" + probe.options.library : probe.transport;
}

/// Returns a log line without its prefix: "collbench[probe] DEBUG net plugin: x" becomes "net plugin: x".
std::string bare(const std::string& line) {
  const std::string prefix = "collbench[" + std::string(kName) + "] ";
  if (!line.starts_with(prefix)) return line;
  return line.substr(std::min(line.size(), line.find(' ', prefix.size()) + 1));
}

bool wants_all_words() {
  const char* level = std::getenv("COLLBENCH_LOG");
  return level != nullptr && std::string_view(level) == "debug";
}

}  // namespace

bool loads_plugin(const ProbeRequest& probe) noexcept {
  return probe.transport == kPlugin && !probe.options.library.empty();
}

TransportCapability probe_here(const AgentCapabilities& capabilities, const ProbeRequest& probe) {
  const EngineEntry* engine = find_engine(capabilities.engines, probe.engine);
  const TransportEntry* entry = find_transport(capabilities, probe.transport);
  const bool asks_engine =
      engine != nullptr && engine->probe != nullptr && (entry != nullptr || engine->name != kHostEngine);
  TransportCapability capability =
      asks_engine ? TransportCapability{probe.transport, std::string(entry == nullptr ? "" : entry->summary),
                                        engine->probe(probe.transport, probe.options, probe.settings)}
                  : of_transport(capabilities, probe);
  capability.name = name_of(probe);
  return capability;
}

int run_probe(const AgentCapabilities& capabilities) {
  signal(SIGPIPE, SIG_IGN);
  set_log_name(kName);
  install_stack_dump();
  install_crash_dump();
  ControlSocket control;
  const auto message = control.receive();
  const auto* probe = message ? std::get_if<ProbeRequest>(&*message) : nullptr;
  if (probe == nullptr) return 1;
  exit_with_agent();
  TransportCapability answer = probe_here(capabilities, *probe);
  if (loads_plugin(*probe))
    if (const std::string hash = sha256_of_file(probe->options.library); !hash.empty())
      answer.availability.facts["plugin.sha256"] = hash;
  std::fflush(nullptr);  // Writes out what the plugin printed.
  control.send(to_line(ProbedEvent{probe->id, answer}));
  _exit(0);  // Skips exit handlers of third-party libraries, which are not being tested.
}

ProbeProcess::ProbeProcess(const ProbeRequest& probe, const std::string& line,
                           std::function<void(const std::string&)> send)
    : probe_(probe),
      send_(std::move(send)),
      unused_(make_engine_log()),
      max_output_lines_(wants_all_words() ? kManyWords : kFewWords),
      due_ns_(now_ns() + probe.deadline_ns) {
  SpawnRequest wanted;
  wanted.words = {"probe"};
  wanted.shared_state_fd = wanted.log_fd = unused_.get();
  wanted.environment = probe.environment;
  // All log lines are collected; the agent decides how many it sends.
  wanted.environment["COLLBENCH_LOG"] = "debug";
  SpawnedProcess spawned = spawn(wanted);
  pid_ = spawned.pid;
  control_ = std::move(spawned.control);
  output_ = std::move(spawned.error_output);
  writer_.write(control_.get(), line + "\n");
}

ProbeProcess::~ProbeProcess() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ProbeProcess::add_to_poll(std::vector<pollfd>& set) const {
  if (control_.get() >= 0) set.push_back({control_.get(), POLLIN, 0});
  if (output_.get() >= 0) set.push_back({output_.get(), POLLIN, 0});
}

void ProbeProcess::read_all() {
  if (output_.get() >= 0 &&
      !output_lines_.drain(output_.get(), [this](const std::string& line) { on_output_line(line); }))
    output_.reset();
  if (control_.get() < 0) return;
  writer_.flush(control_.get());
  if (!control_lines_.drain(control_.get(),
                            [this](const std::string& line) { answer_ = parse_probed(line); }))
    control_.reset();
}

void ProbeProcess::on_output_line(const std::string& line) {
  if (!line.starts_with(kStackPrefix)) {
    output_tail_.push_back(bare(line));
    if (output_tail_.size() > max_output_lines_) output_tail_.pop_front();
    return;
  }
  const std::string rest = line.substr(kStackPrefix.size());
  if (rest == kStackEnd)
    stack_ = symbolize(pid_, addresses_);
  else if (rest.starts_with(kStackCrash))
    stack_ = crash_stack(pid_, addresses_, rest);
  else
    addresses_.push_back(std::strtoull(rest.c_str(), nullptr, 16));
}

bool ProbeProcess::on_exit(pid_t pid, int status) {
  if (pid != pid_) return false;
  pid_ = -1;
  read_all();  // The probe's last lines may still be in the pipes.
  answer(status);
  return true;
}

void ProbeProcess::on_time() {
  if (now_ns() < due_ns_ || pid_ <= 0) return;
  if (!hangs_) {
    hangs_ = true;
    due_ns_ = now_ns() + kStackNs;
    addresses_.clear();
    syscall(SYS_tgkill, pid_, pid_, SIGUSR2);
  } else {
    due_ns_ = INT64_MAX;
    kill(-pid_, SIGKILL);
  }
}

void ProbeProcess::answer(int status) {
  const bool is_good = answer_ && !hangs_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  TransportCapability told = answer_.value_or(TransportCapability{name_of(probe_), "", {}});
  Availability& found = told.availability;
  if (!is_good) {
    found.available = false;
    found.reason = told.name + ": the process that loaded it " +
                   (hangs_ ? "did not answer within " + format_seconds(probe_.deadline_ns) + " and was killed"
                           : describe_death(status));
    found.remedy = "COLLBENCH_LOG=debug shows all that it wrote.";
  }
  if (!found.available || max_output_lines_ == kManyWords)
    told.words.assign(output_tail_.begin(), output_tail_.end());
  if (!is_good) told.stack = stack_;
  over_ = true;
  send_(to_line(ProbedEvent{probe_.id, told}));
}

}  // namespace collbench::agent
