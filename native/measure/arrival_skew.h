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

  /// Returns by how many ns rank `of_rank` starts operation `iteration` after the common start. The value
  /// depends on this object and the arguments alone, so all ranks agree on it.
  /// @param seed seed of the run; for kRandom it decides, with `iteration`, which rank is late
  /// @param of_ranks number of ranks of the launch, at least 2
  [[nodiscard]] std::int64_t delay_ns(std::uint64_t seed, std::uint64_t iteration, int of_rank,
                                      int of_ranks) const noexcept;
};

/// Parses a skew as the controller writes it: a time and which ranks are late. "250us" delays rank 0,
/// "250us:2" rank 2. "1ms:all" means Ranks::kSpread, "1ms:random" Ranks::kRandom.
/// @param ranks number of ranks of the launch
/// @throws Error(kInvalidArgument) if the text is no skew, its time is not from 1 ns to kLongestSkewNs, the
/// launch has no such rank, or it has only one rank
ArrivalSkew parse_arrival_skew(std::string_view text, int ranks);

}  // namespace collbench
