#pragma once
// Messages between controller, agent and ranks: one JSON object per line. orchestration/protocol.ts is their
// definition. generated/ has the structs, parsers and writers that come from it; this file has the others.
// The agent passes launch, exchanged, measure and stop to its ranks unchanged, and ranks use the same parser.
// JSON stays inside protocol/*.cc, which are slow to compile.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "agent/protocol/generated/messages.h"
#include "metrics/ring.h"

namespace collbench::agent {

inline constexpr const char* kVersion = "0.1.0";
/// Number of beat intervals without any message after which the agent considers the controller lost and ends.
inline constexpr int kBeatsMissed = 6;

// ---- rank to agent; private, since both sides are the same binary ----

/// Data of one rank in a bootstrap exchange, as base64 text. `key` names the exchange.
struct RankExchange {
  std::string key, data;
};
struct RankIsReady {
  RankReady ready;
};
struct RankMeasured {
  std::uint64_t block = 0;
  std::string outcome_json;  // Outcome as JSON text, copied unchanged into `measured`.
};
struct RankFailed {
  std::string code, phase, message;
  /// CLOCK_MONOTONIC time in ns at which the error was raised. All ranks of the agent use this clock.
  std::int64_t raised_ns = 0;
};
using RankMessage = std::variant<RankExchange, RankIsReady, RankMeasured, RankFailed>;
/// Parses a line from a rank process. @throws Error(kProtocol) if it is not a valid message
RankMessage parse_rank_message(const std::string& line);
std::string to_line(const RankExchange& message);
std::string to_line(const RankIsReady& message);
std::string to_line(const RankMeasured& message);
std::string to_line(const RankFailed& message);

/// Returns the JSON text with one rank's samples, verification and counters of a block. The agent copies it
/// unchanged into the `measured` message.
std::string outcome_json(const RankOutcome& outcome);

// ---- agent to controller; every line ends in a newline ----

/// Parses the answer of a probe process (probe_process.h). @throws Error(kProtocol) if it is not a valid
/// message
TransportCapability parse_probed(const std::string& line);
std::string hello_line(std::span<const EngineEntry> engines, std::vector<TransportCapability> transports,
                       const metrics::Inventory& inventory, const HostIdentity& place, std::int64_t clock_ns);
std::string measured_line(int launch, std::uint64_t block, const std::vector<std::string>& outcomes,
                          const std::map<std::string, std::uint64_t>& interface_bytes);
/// Returns the `samples` message with the `count` oldest rows, which stay in the ring. A row has the values
/// of all metric channels at one time.
std::string samples_line(const metrics::RowRing& rows, std::size_t count);

}  // namespace collbench::agent
