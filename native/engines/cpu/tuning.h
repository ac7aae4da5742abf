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

namespace collbench::cpu {

/// Length in bytes of the longest single message. Longer ones are split, because net plugins store a length
/// in an int.
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

/// Way in which a receiver learns that data have arrived. kSimple: a separate notification follows the data.
/// kLl: flags within the data (SendComm::carry_flags).
enum class Protocol : std::uint8_t { kSimple, kLl };
/// Names of the values of Protocol, in their order, as used for --proto and in results.
inline constexpr std::string_view kProtocolNames[] = {"simple", "ll"};
/// Returns the protocol with this name ("simple" or "ll"); nullopt if there is none.
std::optional<Protocol> find_protocol(std::string_view name) noexcept;

/// One rule that selects an algorithm for a collective with min_ranks to max_ranks ranks and a payload of
/// min_bytes to max_bytes (the S of the bus bandwidth formulas); all limits are included.
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
  std::optional<Protocol> protocol;  // Protocol that the user requested; absent = chosen per size.
  /// Long vectors are processed in pieces of at most this many bytes, even if the algorithm's own limit
  /// (AlgorithmRow::piece_bytes) is higher.
  std::size_t largest_piece = std::numeric_limits<std::size_t>::max();
  std::size_t longest_message = kLongestMessage;  // Longest message that the device accepts, in bytes.
  /// Polls before a waiting rank yields its core (budget of Spinner); 0 if there are more ranks than hardware
  /// threads.
  std::uint32_t spins = Spinner::kDefaultSpins;
  int local_ranks = 1;  // Number of ranks on this machine.
  int channels = 1;     // Channels per rank, each with a thread and connections.
  ChunkTuning chunks;
};
/// Returns the default settings for the transport with this name: its algorithm rules, chunk sizes, and up to
/// which payload it uses ll.
Tuning tuning_of(std::string_view transport);

/// Parses the rules for one transport from a table that `collbench tune` measured on this machine. Format:
/// "socket/allreduce/4-7/8-65536/direct,shm/broadcast/2-3/8-64/direct/ll,..." (transport, collective, ranks,
/// bytes, algorithm, protocol).
/// @throws Error(kInvalidArgument) naming the malformed rule
std::vector<AlgorithmRule> measured_rules(const std::string& table, std::string_view transport);

/// Returns a text for each collective that describes algorithm and protocol by number of ranks and payload;
/// keys are such as "algorithms.allreduce". A value such as "2:32/recursive-doubling/ll,/ring;3:..." means:
/// with 2 ranks, payloads up to 32 bytes use recursive doubling with protocol ll, longer ones the ring with
/// protocol simple; then follow 3 and more ranks. Above kFullMeshRanks ranks, an entry for a power of two
/// also holds for the larger powers of two up to the next such entry, and any other entry for the other
/// numbers.
std::map<std::string, std::string> choices_in_words(const Tuning& tuning);

/// Returns the algorithm for an operation for which the user requested none: that of the first rule that fits
/// and can be used. Without one: the first usable of ring, direct, Bruck and recursive doubling.
/// @param ranks at least 2
/// @param widest largest set of peers that can be connected; algorithms that need more are not selected
const AlgorithmRow& choose(const std::vector<AlgorithmRule>& rules, const Operation& operation, int ranks,
                           PeerSet widest = PeerSet::kAll) noexcept;

/// Returns the protocol for an operation: the requested one, else that of the rule, else ll up to
/// Tuning::flagged_payload. Payloads longer than `longest` always use simple.
/// @param longest longest message in bytes that can carry flags. Messages are never longer than the payload.
Protocol choose_protocol(const Tuning& tuning, const Operation& operation, int ranks, std::size_t longest,
                         PeerSet widest = PeerSet::kAll) noexcept;

}  // namespace collbench::cpu
