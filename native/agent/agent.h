#pragma once
#include <span>
#include <string>
#include <vector>

#include "agent/rank_session.h"
#include "transports/registry.h"

namespace collbench::agent {

/// Engines and transports of this build. Tests pass their own.
struct AgentCapabilities {
  std::span<const EngineEntry> engines;
  std::span<const TransportEntry> transports;
};

/// Runs the agent: speaks protocol.h over two descriptors until `input` ends. No rank process survives it,
/// however it ends.
/// @returns the exit code: 0 input ended, 1 protocol error (message on stderr), 128+N ended by signal N
int run_agent(int input, int output, const AgentCapabilities& capabilities);

/// Main function of `collbench-agent [rank RANK INDEX | probe | --version | --help]`.
int agent_main(int argc, char** argv, const AgentCapabilities& capabilities);

}  // namespace collbench::agent
