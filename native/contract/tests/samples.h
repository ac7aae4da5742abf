#pragma once
// Samples of every message, as full and as empty as possible, for comparing the two sides of the protocol.
#include <string>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Returns lines that the agent writes, made by the functions of protocol.h. Every field has a distinct value
/// somewhere.
std::vector<std::string> sent_samples();
/// Returns lines that the agent understands, with every field that the parser reads.
std::vector<std::string> received_samples();

}  // namespace collbench::agent
