#pragma once
// Settings that suit a transport: chunk sizes, and which algorithm is used for which size. They were
// measured; tuning.cc says how.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "core/spin.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/ring.h"

namespace collbench::cpu {

/// Way in which a receiver learns that data have arrived: by a separate announcement, or by flags within the
/// data (SendComm::carry_flags).
enum class Protocol : std::uint8_t { kSimple, kLl };
/// Names in --proto and in results.
inline constexpr std::string_view kProtocolNames[] = {"simple", "ll"};
/// Returns nullopt if there is no protocol of that name.
std::optional<Protocol> find_protocol(std::string_view name) noexcept;

/// Rule that selects an algorithm by payload (S of the bandwidth formulas) and number of ranks.
struct AlgorithmRule {
  CollectiveKind kind = CollectiveKind::kAllreduce;
  int min_ranks = 2;
  std::size_t max_bytes = 0;
  Algorithm algorithm = Algorithm::kRing;
  int max_ranks = std::numeric_limits<int>::max();
  std::size_t min_bytes = 0;
  std::optional<Protocol> protocol = std::nullopt;  // Absent = decided by Tuning::flagged_payload.
};

struct Tuning {
  std::vector<AlgorithmRule> rules;  // The first rule that fits decides; if none fits, see choose().
  std::size_t flagged_payload = 0;   // Largest payload in bytes for which operations use the ll protocol.
  std::optional<Protocol> protocol;  // Requested protocol.
  std::size_t direct_piece = std::size_t{64} << 10;  // Scratch bytes per peer and direction.
  /// Upper limit for AlgorithmRow::piece_bytes.
  std::size_t largest_piece = std::numeric_limits<std::size_t>::max();
  std::size_t longest_message = kLongestMessage;  // Longest message that the device accepts, in bytes.
  /// Upper bound of the Spinner budget; 0 if ranks outnumber hardware threads.
  std::uint32_t spins = Spinner::kDefaultSpins;
  int local_ranks = 1;  // Number of ranks on this machine.
  int channels = 1;     // Channels per rank, each with a thread and connections.
  RingTuning ring;
};
Tuning tuning_of(std::string_view transport);

/// Parses rules that were measured on the machine (collbench tune), for one transport:
/// "socket/allreduce/4-7/8-65536/direct,shm/broadcast/2-3/8-64/direct/ll,...".
/// @throws Error(kInvalidArgument) naming the malformed rule
std::vector<AlgorithmRule> measured_rules(const std::string& table, std::string_view transport);

/// Describes what choose() selects, by "algorithms." and the collective:
/// "2:32/recursive-doubling/ll,/ring;3:...". Each number of ranks has the largest payload of each algorithm;
/// the last has no limit. Above kFullMeshRanks, a power of two stands for the next ones, and any other number
/// for the others.
std::map<std::string, std::string> choices_in_words(const Tuning& tuning);

/// Returns the algorithm for an operation if none was requested.
/// @param ranks at least 2
/// @param widest widest peer set that they have
const AlgorithmRow& choose(const std::vector<AlgorithmRule>& rules, const Operation& operation, int ranks,
                           PeerSet widest = PeerSet::kAll) noexcept;

/// Returns the protocol for an operation if none was requested.
/// @param longest longest message that can carry flags; no message of an operation is longer than its payload
Protocol choose_protocol(const Tuning& tuning, const Operation& operation, int ranks, std::size_t longest,
                         PeerSet widest = PeerSet::kAll) noexcept;

}  // namespace collbench::cpu
