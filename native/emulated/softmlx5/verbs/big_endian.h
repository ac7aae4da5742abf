#pragma once
#include "emulated/softmlx5/nic/endian.h"

namespace collbench::softmlx5::verbs {

inline std::uint16_t swapped(std::uint16_t value) noexcept { return big16(value); }
inline std::uint32_t swapped(std::uint32_t value) noexcept { return big32(value); }
inline std::uint64_t swapped(std::uint64_t value) noexcept { return big64(value); }

template <typename Number>
void store_big(std::byte* at, Number value) noexcept {
  value = swapped(value);
  std::memcpy(at, &value, sizeof value);
}

}  // namespace collbench::softmlx5::verbs
