#pragma once
// Operation that a collective request describes, and the buffers it needs.
#include <memory>

#include "collectives/collective.h"
#include "workloads/axes.h"
#include "workloads/workload.h"

namespace collbench {

inline constexpr std::int64_t kMaxPayloadBytes = std::int64_t{1} << 53;

/// Converts axis values to a collective operation. The axes are collective, dtype, op (null if nothing is
/// reduced), root (null if there is none; 0 is used), inPlace, and bytes (the payload S of the bandwidth
/// formulas).
/// @throws Error(kInvalidArgument) if the operation is impossible for this number of ranks, or if `bytes` is
/// no whole number of elements for each part
Operation operation_of(const Axes& axes, int ranks);

struct BufferBytes {
  std::size_t send = 0, recv = 0;
  [[nodiscard]] std::size_t longest() const noexcept { return send > recv ? send : recv; }
};
/// Returns the lengths in bytes of the send and receive buffer that `rank` needs.
/// @param alike true: the largest lengths that any rank needs, because all buffers must have equal length
BufferBytes buffer_bytes(const Operation& operation, int rank, int ranks, bool alike);

/// Creates the workload whose unit is one call of this operation.
std::unique_ptr<Workload> workload_of(const WorkloadContext& context, const Operation& operation);

}  // namespace collbench
