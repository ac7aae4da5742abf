#pragma once
// What can run here. Code of others, which may crash, hang or write anywhere, is asked in a process of its
// own: its end, its stack and its last words are a part of the answer.
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

/// Asks in this process.
TransportCapability probe_here(const Capabilities& capabilities, const ProbeRequest& probe);

/// Whether the request loads a library that is somebody else's.
[[nodiscard]] bool loads_plugin(const ProbeRequest& probe) noexcept;

/// Body of `collbench-agent probe`: answers the one probe that comes over kControlFd, for the agent.
int run_probe(const Capabilities& capabilities);

/// A probe under way in a process of its own. Never blocks.
class Probing {
 public:
  /// @param line the message as it came  @param send takes the answer, once
  Probing(const ProbeRequest& probe, const std::string& line, std::function<void(const std::string&)> send);
  /// Kills and reaps what is left.
  ~Probing();
  Probing(const Probing&) = delete;
  Probing& operator=(const Probing&) = delete;

  void add_to_poll(std::vector<pollfd>& set) const;
  void read_all();
  /// @returns whether the process was this one
  bool on_exit(pid_t pid, int status);
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  void on_time();
  [[nodiscard]] bool over() const noexcept { return over_; }

 private:
  void on_words(const std::string& line);
  void answer(int status);

  ProbeRequest probe_;
  std::function<void(const std::string&)> send_;
  UniqueFd unused_;  // where ranks have their board and the log of their engine
  pid_t pid_ = -1;
  UniqueFd control_, output_;
  LineReader control_lines_, output_lines_;
  LineWriter writer_;
  std::size_t most_words_;
  std::deque<std::string> words_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::string> stack_;
  std::optional<TransportCapability> answer_;
  std::int64_t due_ns_;
  bool hangs_ = false;
  bool over_ = false;
};

}  // namespace collbench::agent
