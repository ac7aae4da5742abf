#pragma once
// Samples of every message, as full and as empty as possible, for comparing the two sides of the protocol.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Returns lines that the agent writes, made by the functions of protocol.h. Every field has a distinct value
/// somewhere.
std::vector<std::string> sent_samples();
/// Returns lines that the agent understands, with every field that the parser reads.
std::vector<std::string> received_samples();
/// Returns a message as the controller would write it, from what the parser kept of it.
nlohmann::json written_again(const ControllerMessage& message);

}  // namespace collbench::agent
