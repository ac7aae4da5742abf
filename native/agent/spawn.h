#pragma once
// Starts rank and probe processes that cannot outlive the agent. Each has its own process group and is killed
// by the kernel when the agent dies. It inherits only its control socket (fd 3), the shared state (fd 4) and
// the file for its engine's log (fd 5).
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "agent/line_channel.h"
#include "measure/shared_state.h"

namespace collbench::agent {

inline constexpr int kControlFd = 3;
inline constexpr int kSharedStateFd = 4;
inline constexpr int kEngineLogFd = 5;

struct SpawnRequest {
  std::vector<std::string> words;  // Arguments of collbench-agent: {"rank", "3", "0"}.
  int shared_state_fd = -1;        // Memory that becomes descriptor kSharedStateFd of the process.
  int log_fd = -1;                 // File that becomes descriptor kEngineLogFd of the process.
  std::vector<int> cpus;           // CPUs that the process may use; empty = those of the agent.
  std::vector<int> memory_nodes;   // NUMA nodes of the process's memory; empty = any.
  std::map<std::string, std::string> environment;  // Variables added to the agent's environment.
};
struct SpawnedProcess {
  pid_t pid = -1;
  FileDescriptor control;       // Control socket, non-blocking.
  FileDescriptor error_output;  // Pipe with the process's stderr and stdout, non-blocking.
};
/// Starts the program collbench-agent as a child process with the arguments in `request.words`.
/// @throws Error(kInternal) if the process cannot be started
SpawnedProcess spawn(const SpawnRequest& request);

}  // namespace collbench::agent
