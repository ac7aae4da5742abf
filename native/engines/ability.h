#pragma once
// Abilities connect workloads and engines: an engine states which abilities it has, a workload which it
// needs. Neither names the other.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

enum class Ability : std::uint8_t {
  kCollectives,  // The engine implements Engine::enqueue.
  /// The engine implements Engine::transfer. The values of its parameter "path" name what starts a transfer
  /// between two computations: the host's thread, the GPU's stream, or (without a GPU) the rank's thread.
  kMessages,
  kComputations,  // The engine implements Engine::launch, upload and download.
  kPuts,          // The engine implements Engine::put_port, and transfer to exchange the queues' addresses.
  kStores,        // The engine implements Engine::reach, and transfer to exchange addresses before.
  kOneSided,      // The engine implements Engine::one_sided, upload and download.
  kTraining,      // The engine implements Engine::train.
  kProgram,       // The engine implements Engine::train for a program of the user.
  /// The engine's operations end on the host, so a workload can time its own steps with the host's clock.
  kHostClock,
};

/// Values that this engine supports for a workload's parameters (such as "dtype" or "path"), by parameter
/// name. A parameter without an entry may have any value.
using AxisLimits = std::map<std::string, std::vector<std::string>>;

/// Abilities of one engine, each with the parameter values that the engine supports for it.
using Abilities = std::map<Ability, AxisLimits>;

inline std::vector<std::string> names_of(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

}  // namespace collbench
