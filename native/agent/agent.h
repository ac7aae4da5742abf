#pragma once
#include <span>
#include <string>
#include <vector>

#include "agent/rank_session.h"
#include "transports/registry.h"

namespace collbench::agent {

/// Engines (such as nccl) and transports (such as socket) that are compiled into this program. Tests of the
/// agent pass lists of their own.
struct AgentCapabilities {
  std::span<const EngineEntry> engines;
  std::span<const TransportEntry> transports;
};

/// Runs the agent: exchanges messages (protocol.h) over two file descriptors until `input` ends, nobody reads
/// `output`, or the controller has sent nothing for kBeatsMissed beats. In whatever way the agent ends, all
/// its rank processes end with it.
/// @returns the exit code: 0 = ended for one of these three reasons, 1 = protocol or other error (message on
/// stderr), 128+N = ended by signal N
int run_agent(int input, int output, const AgentCapabilities& capabilities);

/// Main function of the program collbench-agent. Without arguments it runs the agent on stdin and stdout. The
/// arguments `rank RANK INDEX` and `probe` are for processes that the agent starts. --version and --help
/// print a text.
/// @returns the exit code: as run_agent(), run_rank() or run_probe(); 1 for other arguments
int agent_main(int argc, char** argv, const AgentCapabilities& capabilities);

}  // namespace collbench::agent
