#pragma once
// Control connection of a process that the agent has started.
#include <deque>
#include <optional>
#include <string>

#include "agent/line_channel.h"
#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Connection to the agent (descriptor kControlFd), used in a process that the agent has started. Sends and
/// receives whole lines; calls block.
class ControlSocket {
 public:
  /// Waits for the next message of the agent and returns it; nullopt if the agent has closed the connection.
  /// @throws Error(kProtocol) for a line that is no valid message
  std::optional<ControllerMessage> receive();
  /// Sends a line to the agent. @throws Error(kCancelled) if the agent has closed the connection
  void send(const std::string& line);

 private:
  LineReader reader_;
  LineWriter writer_;
  std::deque<std::string> lines_;
  bool open_ = true;
};

/// Starts a thread that ends this process (exit code 0) when the agent closes the control socket, even during
/// a measurement. The kernel's parent-death signal does the same, but a security module may have disabled it.
void exit_with_agent();

}  // namespace collbench::agent
