#include "agent/tests/agent_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "core/clock.h"

namespace collbench::agent {
namespace {

constexpr int kPatienceMs = 60'000;

bool readable(int fd, int timeout_ms) {
  pollfd one{fd, POLLIN, 0};
  int n = 0;
  while ((n = poll(&one, 1, timeout_ms)) < 0 && errno == EINTR) {
  }
  return n > 0;
}

}  // namespace

ProcessWatch::ProcessWatch(pid_t pid) : pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (pidfd_.get() < 0) throw std::runtime_error("no process " + std::to_string(pid) + " to watch");
}

bool ProcessWatch::gone() const { return readable(pidfd_.get(), kPatienceMs); }

AgentHost::AgentHost() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGPIPE, SIG_IGN);
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  pid_ = fork();
  if (pid_ == 0) {
    // The controller gives its agent a session, too. --priority high raises the whole session, which must not
    // be that of the terminal in which the tests run.
    setsid();
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    execl(COLLBENCH_MOCK_AGENT, COLLBENCH_MOCK_AGENT, static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  input_.reset(in[1]);
  output_.reset(out[0]);
  error_.reset(err[0]);
  hello_ = receive();
}

AgentHost::~AgentHost() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void AgentHost::send(const nlohmann::json& message) { send_text(message.dump() + "\n"); }

void AgentHost::send_text(const std::string& line) {
  if (write(input_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the agent does not listen");
}

nlohmann::json AgentHost::receive() {
  for (;;) {
    nlohmann::json message = receive_any();
    if (message["type"] == "progress") {
      ++progress_reports_;
      continue;
    }
    if (message["type"] != "exchange") return message;
    auto& blobs = exchanges_[message["key"]];
    blobs[message["rank"]] = message["data"];
    if (blobs.size() < static_cast<std::size_t>(ranks_)) continue;
    nlohmann::json answer = {{"type", "exchanged"}, {"launch", message["launch"]}, {"key", message["key"]}};
    for (const auto& [rank, blob] : blobs) answer["data"].push_back(blob);
    exchanges_.erase(message["key"]);
    send(answer);
  }
}

nlohmann::json AgentHost::receive_any() {
  for (;;) {
    while (!inbox_.empty()) {
      nlohmann::json message = inbox_.front();
      inbox_.erase(inbox_.begin());
      if (message["type"] != "log") return message;
    }
    if (!readable(output_.get(), 2 * kPatienceMs)) throw std::runtime_error("the agent says nothing");
    if (!reader_.read_some(
            output_.get(),
            [this](const std::string& line) { inbox_.push_back(nlohmann::json::parse(line)); }) &&
        inbox_.empty())
      throw std::runtime_error("the agent has gone: " + error_text());
  }
}

nlohmann::json AgentHost::launch_message(int number, int ranks, const std::string& algorithm,
                                         int deadline_ms) {
  nlohmann::json local = nlohmann::json::array();
  for (int r = 0; r < ranks; ++r) local.push_back(r);
  return {{"type", "launch"},
          {"launch", number},
          {"engine", "mock"},
          {"transport", "none"},
          {"options", nlohmann::json::object()},
          {"algorithm", algorithm},
          {"ranks", ranks},
          {"localRanks", local},
          {"seed", 1},
          {"environment", {{"COLLBENCH_TEST", "1"}}},
          {"deadlineMs", deadline_ms}};
}

nlohmann::json AgentHost::measure_message(int launch, int block, int deadline_ms) {
  return {{"type", "measure"},
          {"launch", launch},
          {"block", block},
          {"workload", "collective"},
          {"axes",
           {{"collective", "allreduce"},
            {"dtype", "float32"},
            {"op", "sum"},
            {"root", nullptr},
            {"inPlace", false},
            {"bytes", 4096}}},
          {"trial",
           {{"kind", "pipelined"},
            {"firstIteration", 0},
            {"warmup", 2},
            {"minSamples", 5},
            {"maxSamples", 5},
            {"targetNs", 0},
            {"batch", 1},
            {"checkEvery", 0},
            {"check", false}}},
          {"release", false},
          {"deadlineMs", deadline_ms}};
}

nlohmann::json AgentHost::launch(int number, int ranks, const std::string& algorithm, int deadline_ms) {
  return launch(launch_message(number, ranks, algorithm, deadline_ms));
}

nlohmann::json AgentHost::launch(const nlohmann::json& message) {
  ranks_ = message.at("ranks");
  send(message);
  return receive();
}

int AgentHost::wait() {
  const ProcessWatch watch(pid_);
  if (!watch.gone()) return -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string AgentHost::error_text() {
  std::string text;
  char buffer[4096];
  set_non_blocking(error_.get());
  for (ssize_t n; (n = read(error_.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

std::vector<ProcessWatch> watch_ranks(const nlohmann::json& ready) {
  std::vector<ProcessWatch> watches;
  for (const auto& rank : ready.at("ranks")) watches.emplace_back(rank.at("pid").get<pid_t>());
  return watches;
}

bool no_children_left() {
  // A pidfd may report an orphan's end a moment before its new parent can wait for it, hence the retries.
  const std::int64_t until = now_ns() + std::int64_t{kPatienceMs} * 1'000'000;
  for (;;) {
    siginfo_t info = {};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) return errno == ECHILD;
    if (info.si_pid != 0) continue;
    if (now_ns() > until) return false;
    poll(nullptr, 0, 1);
  }
}

}  // namespace collbench::agent
