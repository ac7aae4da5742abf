#pragma once
// Computations of a job: time that passes, on a device that is thought of or on the rank's own core.
#include <cstdint>
#include <functional>

namespace collbench::replay {

/// kDevice: a GPU computes and the core is free meanwhile; kCore: the rank's thread computes so long, and
/// longer where it has to share its core.
enum class Computing : std::uint8_t { kDevice, kCore };

/// Returns when `ns` of computation are over. @param cancelled is called now and then and may throw
void compute(Computing by, std::int64_t ns, const std::function<void()>& cancelled);

}  // namespace collbench::replay
