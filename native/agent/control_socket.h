#pragma once
// How a process that the agent has started talks to it.
#include <deque>
#include <optional>
#include <string>

#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// The control socket (kControlFd) as the started process sees it: whole lines, blocking.
class ControlSocket {
 public:
  /// The next message; nullopt when the agent has closed its end.
  std::optional<ControllerMessage> receive();
  /// @throws Error(kCancelled) the agent is gone
  void send(const std::string& line);

 private:
  LineReader reader_;
  LineWriter writer_;
  std::deque<std::string> lines_;
  bool open_ = true;
};

/// Ends the process when the agent's end of the control socket closes, also in the middle of a measurement.
/// The kernel's parent-death signal does the same; this holds too where a security module has cleared that.
void leave_with_agent();

}  // namespace collbench::agent
