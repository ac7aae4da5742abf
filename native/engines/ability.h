#pragma once
// What workloads are written against. An engine says which abilities it has and a workload which it needs;
// neither names the other.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

enum class Ability : std::uint8_t {
  kCollectives,   // Engine::enqueue
  kMessages,      // Engine::transfer; `path` says who starts transfers between computations
  kComputations,  // Engine::launch, upload and download
  kPuts,          // Engine::put_port, and transfer for the addresses of queues
  kStores,        // Engine::reach, and transfer for what is settled before
  kOneSided,      // Engine::one_sided, upload and download
  kTraining,      // Engine::train
  kProgram,       // Engine::train, of a program of its user's
  kHostClock,     // units end on the host: what a workload does by itself is timed by the host's clock
};

/// By axis the names that it is limited to.
using Limits = std::map<std::string, std::vector<std::string>>;

/// Those of an engine, with the limits of axes that concern them.
using Abilities = std::map<Ability, Limits>;

inline std::vector<std::string> names_of(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

}  // namespace collbench
