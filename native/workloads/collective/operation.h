#pragma once
// One call of a collective as the controller names it, and the memory it needs.
#include "collectives/collective.h"
#include "workloads/axes.h"

namespace collbench {

inline constexpr std::int64_t kMostPayloadBytes = std::int64_t{1} << 53;

/// @param axes collective, dtype, op (null where nothing is reduced), root (null where there is none),
/// inPlace, bytes (S of the bandwidth formulas)
/// @throws Error(kInvalidArgument) a call that cannot be among so many ranks
Operation operation_of(const Axes& axes, int ranks);

struct BufferBytes {
  std::size_t send = 0, recv = 0;
  [[nodiscard]] std::size_t longest() const noexcept { return send > recv ? send : recv; }
};
/// What `rank` needs, or the neediest one where all ranks' buffers are to be alike.
BufferBytes buffer_bytes(const Operation& operation, int rank, int ranks, bool alike);

}  // namespace collbench
