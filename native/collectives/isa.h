#pragma once
// Which of the loops compiled for several instruction sets this processor can run.
#include <cstdint>

namespace collbench {

enum class Isa : std::uint8_t { kBase, kAvx2, kAvx512 };

/// The newest one that this processor and operating system support; kBase elsewhere than on x86-64.
Isa best_isa() noexcept;

}  // namespace collbench
