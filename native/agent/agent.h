#pragma once
#include <span>
#include <string>
#include <vector>

#include "agent/rank_session.h"
#include "transports/registry.h"

namespace collbench::agent {

/// What this build can do; tests bring their own engines.
struct Capabilities {
  std::span<const EngineEntry> engines;
  std::span<const TransportEntry> transports;
};

/// Speaks protocol.h over two descriptors until `input` ends. However it ends, no rank process is left.
/// @returns the exit code: 0 input ended, 1 protocol error (said on stderr), 128+N ended by signal N
int run_agent(int input, int output, const Capabilities& capabilities);

/// `collbench-agent [rank RANK INDEX | probe | --version | --help]`
int agent_main(int argc, char** argv, const Capabilities& capabilities);

}  // namespace collbench::agent
