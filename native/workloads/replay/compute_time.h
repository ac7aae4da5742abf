#pragma once
// Computation of a job, simulated by elapsed time on an imagined device or on the rank's own core.
#include <cstdint>
#include <functional>

namespace collbench::replay {

/// kDevice: a GPU computes, and the core is free meanwhile. kCore: the rank's thread computes for that long,
/// and longer if it must share its core.
enum class ComputeMode : std::uint8_t { kDevice, kCore };

/// Returns after `ns` of computation. @param cancelled called now and then; may throw
void compute(ComputeMode by, std::int64_t ns, const std::function<void()>& cancelled);

}  // namespace collbench::replay
