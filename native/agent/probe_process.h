#pragma once
// Tests what can run on this machine. Third-party code may crash, hang or overwrite memory, so it is probed
// in its own process. The answer includes how that process ended, its stack and its output.
#include <poll.h>
#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Tests in the calling process whether an engine can use a transport on this machine; if not, the result has
/// the reason. A crash of third-party code ends the process.
TransportCapability probe_here(const AgentCapabilities& capabilities, const ProbeRequest& probe);

/// Returns true if the request names a net plugin by its file ("plugin:PATH"). Such a library is of a third
/// party and may crash, so the agent tests it in a process of its own (ProbeProcess).
[[nodiscard]] bool loads_plugin(const ProbeRequest& probe) noexcept;

/// Main function of `collbench-agent probe`: receives one probe request over kControlFd, answers it and ends
/// the process.
/// @returns 1 if no probe request arrives; otherwise it does not return
int run_probe(const AgentCapabilities& capabilities);

/// One test of engine and transport in a process of its own, as the agent controls it. Its functions never
/// block, except the destructor.
class ProbeProcess {
 public:
  /// Starts the process.
  /// @param line the probe message as received  @param send is called once, with the answer
  ProbeProcess(const ProbeRequest& probe, const std::string& line,
               std::function<void(const std::string&)> send);
  /// Kills the test process if it still runs, and waits for its end.
  ~ProbeProcess();
  ProbeProcess(const ProbeProcess&) = delete;
  ProbeProcess& operator=(const ProbeProcess&) = delete;

  void add_to_poll(std::vector<pollfd>& set) const;
  void read_all();
  /// Must be called when a child process has ended. @returns true if it was this test's process
  bool on_exit(pid_t pid, int status);
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  void on_time();
  [[nodiscard]] bool is_over() const noexcept { return over_; }

 private:
  void on_output_line(const std::string& line);
  void answer(int status);

  ProbeRequest probe_;
  std::function<void(const std::string&)> send_;
  /// Empty file, passed to the process in place of the shared state and the engine log, which only ranks
  /// have.
  FileDescriptor unused_;
  pid_t pid_ = -1;
  FileDescriptor control_, output_;
  LineReader control_lines_, output_lines_;
  LineWriter writer_;
  std::size_t max_output_lines_;
  std::deque<std::string> output_tail_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::string> stack_;
  std::optional<TransportCapability> answer_;
  std::int64_t due_ns_;
  bool hangs_ = false;
  bool over_ = false;
};

}  // namespace collbench::agent
