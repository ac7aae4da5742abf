#pragma once
// Operation that a collective request describes, and the buffers it needs.
#include "collectives/collective.h"
#include "workloads/axes.h"

namespace collbench {

inline constexpr std::int64_t kMaxPayloadBytes = std::int64_t{1} << 53;

/// Parses the axes of a collective.
/// @param axes collective, dtype, op (null if nothing is reduced), root (null if there is none), inPlace,
/// bytes (S of the bandwidth formulas)
/// @throws Error(kInvalidArgument) if the operation is impossible for this number of ranks
Operation operation_of(const Axes& axes, int ranks);

struct BufferBytes {
  std::size_t send = 0, recv = 0;
  [[nodiscard]] std::size_t longest() const noexcept { return send > recv ? send : recv; }
};
/// Returns the bytes that `rank` needs, or the largest needs of any rank if all buffers must have equal
/// length (`alike`).
BufferBytes buffer_bytes(const Operation& operation, int rank, int ranks, bool alike);

}  // namespace collbench
