#pragma once
// What suits a transport: chunk sizes, and which algorithm takes which size. Measured; how, says tuning.cc.
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

/// How messages travel: announced when they are there, or with flags in their data (SendComm::carry_flags).
enum class Protocol : std::uint8_t { kSimple, kLl };
/// The words of --proto, and of results.
inline constexpr std::string_view kProtocolNames[] = {"simple", "ll"};
/// Nothing where there is none of that name.
std::optional<Protocol> find_protocol(std::string_view name) noexcept;

/// Operations of at most so many bytes (S of the bandwidth formulas) with at least so many ranks.
struct Rule {
  CollectiveKind kind = CollectiveKind::kAllreduce;
  int least_ranks = 2;
  std::size_t most_bytes = 0;
  Algorithm algorithm = Algorithm::kRing;
  int most_ranks = std::numeric_limits<int>::max();
  std::size_t least_bytes = 0;
  std::optional<Protocol> protocol = std::nullopt;  // nothing: by Tuning::flagged_payload
};

struct Tuning {
  std::vector<Rule> rules;                           // the first that fits decides; none: see choose()
  std::size_t flagged_payload = 0;                   // operations of at most so many bytes go by ll
  std::optional<Protocol> protocol;                  // that was asked for
  std::size_t direct_piece = std::size_t{64} << 10;  // scratch per peer and direction
  std::size_t largest_piece = std::numeric_limits<std::size_t>::max();  // limits AlgorithmRow::piece_bytes
  std::size_t longest_message = kLongestMessage;                        // that the device takes
  std::uint32_t spins = Spinner::kDefaultSpins;  // upper bound; 0 where ranks outnumber hardware threads
  int local_ranks = 1;                           // of this machine
  int channels = 1;                              // of each rank, each with a thread and connections
  RingTuning ring;
};
Tuning tuning_of(std::string_view transport);

/// Rules of a table that was measured on the machine (collbench tune), for one transport:
/// "socket/allreduce/4-7/8-65536/direct,shm/broadcast/2-3/8-64/direct/ll,...".
/// @throws Error(kInvalidArgument) naming the rule that is none
std::vector<Rule> measured_rules(const std::string& table, std::string_view transport);

/// What choose() takes, by "algorithms." and the collective: "2:32/recursive-doubling/ll,/ring;3:...", with
/// each number of ranks the largest payload of each algorithm, the last without end. Above kFullMeshRanks a
/// power of two speaks for the next ones, and any other number for the others.
std::map<std::string, std::string> choices_in_words(const Tuning& tuning);

/// What an operation takes where nothing else was asked for. @param ranks at least 2  @param widest that they
/// have
const AlgorithmRow& choose(const std::vector<Rule>& rules, const Operation& operation, int ranks,
                           Reach widest = Reach::kAll) noexcept;

/// The same of protocols. @param longest message that can carry flags; no message of an operation is longer
/// than its payload
Protocol choose_protocol(const Tuning& tuning, const Operation& operation, int ranks, std::size_t longest,
                         Reach widest = Reach::kAll) noexcept;

}  // namespace collbench::cpu
