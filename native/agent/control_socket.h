#pragma once
// Control connection of a process that the agent has started.
#include <deque>
#include <optional>
#include <string>

#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// The control socket (kControlFd) in the started process: whole lines, blocking.
class ControlSocket {
 public:
  /// Returns the next message; nullopt when the agent has closed its end.
  std::optional<ControllerMessage> receive();
  /// Sends a line to the agent. @throws Error(kCancelled) if the agent is gone
  void send(const std::string& line);

 private:
  LineReader reader_;
  LineWriter writer_;
  std::deque<std::string> lines_;
  bool open_ = true;
};

/// Ends this process when the agent closes the control socket, even in the middle of a measurement. The
/// kernel's parent-death signal does the same, but a security module may have cleared it.
void exit_with_agent();

}  // namespace collbench::agent
