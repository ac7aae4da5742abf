#pragma once
// Controller's side of a real agent process, for tests: starts it, talks to it, and checks that nothing is
// left.
#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/line_channel.h"
#include "agent/tests/growing_deadlines.h"

namespace collbench::agent {

/// Waits for the end of a process that need not be our child. Created while the process is alive.
class ProcessWatch {
 public:
  explicit ProcessWatch(pid_t pid);
  /// Returns whether the process has ended; false if it is still there after 60 s.
  [[nodiscard]] bool gone() const;

 private:
  FileDescriptor pidfd_;
};

class AgentHost {
 public:
  /// Starts COLLBENCH_MOCK_AGENT and reads its hello.
  AgentHost();
  /// Kills the agent if a failed test left it.
  ~AgentHost();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const nlohmann::json& hello() const { return hello_; }
  void send(const nlohmann::json& message);
  void send_text(const std::string& line);
  /// Returns the next message that is not a log line or a report of progress; answers exchanges once all
  /// ranks have sent theirs.
  nlohmann::json receive();
  /// Same as receive(), but returns exchanges, too; the caller must answer them.
  nlohmann::json receive_any();
  /// Starts ranks and waits until they are ready; the messages until then must be exchanges.
  nlohmann::json launch(int number, int ranks, const std::string& algorithm, int deadline_ms = 60000);
  nlohmann::json launch(const nlohmann::json& message);
  static nlohmann::json launch_message(int number, int ranks, const std::string& algorithm, int deadline_ms);
  static nlohmann::json measure_message(int launch, int block, int deadline_ms = 60000);
  /// Returns the number of reports of progress so far.
  [[nodiscard]] int progress_reports() const { return progress_reports_; }
  void close_input() { input_.reset(); }
  void close_output() { output_.reset(); }
  /// Returns the exit code, or 128 + signal; -1 if the agent does not end in 60 s.
  int wait();
  [[nodiscard]] std::string error_text();

 private:
  pid_t pid_ = -1;
  FileDescriptor input_, output_, error_;
  LineReader reader_;
  std::vector<nlohmann::json> inbox_;
  std::map<std::string, std::map<int, std::string>> exchanges_;
  int progress_reports_ = 0;
  nlohmann::json hello_;
  int ranks_ = 0;
};

/// Returns one watch per rank of a `ready` message.
std::vector<ProcessWatch> watch_ranks(const nlohmann::json& ready);

/// Returns whether all our children have ended; orphans of the agent become our children
/// (PR_SET_CHILD_SUBREAPER). False if one is still there after 60 s.
bool no_children_left();

}  // namespace collbench::agent
