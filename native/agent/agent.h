#pragma once
#include <span>
#include <string>
#include <vector>

#include "agent/rank_session.h"
#include "transports/registry.h"

namespace collbench::agent {

/// Engines and transports that this build has. Tests pass their own lists.
struct AgentCapabilities {
  std::span<const EngineEntry> engines;
  std::span<const TransportEntry> transports;
};

/// Runs the agent: exchanges messages (protocol.h) over two file descriptors until `input` ends. All its rank
/// processes end with it, in whatever way it ends.
/// @returns the exit code: 0 = `input` ended, 1 = protocol error (message on stderr), 128+N = ended by signal
/// N
int run_agent(int input, int output, const AgentCapabilities& capabilities);

/// Main function of `collbench-agent [rank RANK INDEX | probe | --version | --help]`.
int agent_main(int argc, char** argv, const AgentCapabilities& capabilities);

}  // namespace collbench::agent
