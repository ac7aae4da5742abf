#pragma once
// Computation of a job, simulated by elapsed time on an imagined device or on the rank's own core.
#include <cstdint>
#include <functional>

namespace collbench::replay {

/// Way in which computations of the replayed job are imitated. kDevice: the rank waits, as if a GPU computed,
/// and its core is free. kCore: the rank's thread computes for the given time, and longer if it must share
/// its core.
enum class ComputeMode : std::uint8_t { kDevice, kCore };

/// Spends `ns` nanoseconds with an imitated computation. @param by how it is imitated
/// @param cancelled called about every 50 ms; may throw to end it
void compute(ComputeMode by, std::int64_t ns, const std::function<void()>& cancelled);

}  // namespace collbench::replay
