#pragma once
// Ranks that are made late on purpose: by how much each rank starts an operation after the common start.
#include <cstdint>
#include <string_view>

namespace collbench {

/// Delay of ranks before each isolated operation. The rank that is last is `time_ns` late in every operation.
struct ArrivalSkew {
  /// Ranks that are late. kOne: `rank` alone. kSpread: rank 0 is in time, the last rank has the whole delay,
  /// the others are spread evenly between them. kRandom: one rank, drawn anew for each operation.
  enum class Ranks : std::uint8_t { kOne, kSpread, kRandom };
  std::int64_t time_ns = 0;
  Ranks ranks = Ranks::kOne;
  int rank = 0;

  /// Returns by how many ns a rank is late in an operation. The value depends on the arguments alone, so all
  /// ranks agree on it.
  /// @param ranks number of ranks of the launch, at least 2
  [[nodiscard]] std::int64_t delay_ns(std::uint64_t seed, std::uint64_t iteration, int of_rank,
                                      int of_ranks) const noexcept;
};

/// Reads a skew as the controller writes it: "250us" (rank 0), "250us:2", "1ms:all", "1ms:random".
/// @param ranks number of ranks of the launch
/// @throws Error(kInvalidArgument) if the text is no skew, or the launch has no such rank
ArrivalSkew parse_arrival_skew(std::string_view text, int ranks);

}  // namespace collbench
