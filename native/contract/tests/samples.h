#pragma once
// One message of every kind, as full and as bare as it can be: what the two sides of the protocol are
// compared by.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Lines that the agent writes, made by the functions of protocol.h. Every field holds a value of its own
/// somewhere.
std::vector<std::string> sent_samples();
/// Lines that it understands, with every field that the parser asks for.
std::vector<std::string> received_samples();
/// A message as the controller would write it, from what the parser kept of it.
nlohmann::json written_again(const ControllerMessage& message);

}  // namespace collbench::agent
