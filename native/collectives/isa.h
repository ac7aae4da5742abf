#pragma once
// Instruction sets for which loops are compiled separately.
#include <cstdint>

namespace collbench {

enum class Isa : std::uint8_t { kBase, kAvx2, kAvx512 };

/// Returns the newest of these instruction sets that this processor and operating system support; kBase on
/// other processors than x86-64. kAvx512 means its parts F, BW, DQ and VL.
Isa best_isa() noexcept;

}  // namespace collbench
