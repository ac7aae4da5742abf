#pragma once
// Conversions of the 16-bit and 8-bit floating point types, rounding to nearest even, as branch-free code
// that compilers can vectorise. The functions are `static`, not plain inline: files for several instruction
// sets include this header, and the linker must not merge their copies.
#include <bit>
#include <cstdint>

namespace collbench {

// NOLINTBEGIN(misc-definitions-in-headers)
[[maybe_unused]] static inline float float_of_bfloat16(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

[[maybe_unused]] static inline std::uint16_t bfloat16_of_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40U;
  return static_cast<std::uint16_t>((bits & 0x7FFF'FFFFU) > 0x7F80'0000U ? quiet_nan : rounded);
}

/// Converts a 16-bit float to float32. The exponent is changed by a multiplication, which is correct for
/// subnormal values, too.
[[maybe_unused]] static inline float float_of_half(std::uint16_t half) noexcept {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7FFFU) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t infinite = magnitude >= (0x7C00U << 13) ? 0x7F80'0000U : 0U;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | infinite | sign);
}

/// Converts float32 to a 16-bit float, rounded to nearest even. Too large values become infinity, NaN stays
/// NaN. Method: F. Giesen's float_to_half_fast3_rtne, in which the processor's adder rounds subnormal values.
[[maybe_unused]] static inline std::uint16_t half_of_float(float value) noexcept {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (all >> 16) & 0x8000U;
  const std::uint32_t bits = all & 0x7FFF'FFFFU;
  const std::uint32_t normal = (bits + 0xC800'0FFFU + ((bits >> 13) & 1U)) >> 13;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0.5F) - 0x3F00'0000U;
  const std::uint32_t too_large = bits > 0x7F80'0000U ? 0x7E00U : 0x7C00U;
  std::uint32_t result = bits < 0x3880'0000U ? subnormal : normal;
  result = bits >= 0x4780'0000U ? too_large : result;
  return static_cast<std::uint16_t>(result | sign);
}
/// Converts an 8-bit float in OCP's format E4M3, which has no infinity and one NaN per sign, to float32.
[[maybe_unused]] static inline float float_of_float8e4m3(std::uint8_t code) noexcept {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(code & 0x7FU) << 20;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p120F;
  const std::uint32_t nan = (code & 0x7FU) == 0x7FU ? 0x7FC0'0000U : 0U;
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80U) << 24;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | nan | sign);
}

/// Converts an 8-bit float in OCP's format E5M2, which is the upper byte of a 16-bit float, to float32.
[[maybe_unused]] static inline float float_of_float8e5m2(std::uint8_t code) noexcept {
  return float_of_half(static_cast<std::uint16_t>(code << 8));
}

/// Converts float32 to E4M3, rounded to nearest even like half_of_float(). Values that are too large,
/// infinity too, become the largest finite value, as in CUDA's types. NaN stays NaN.
[[maybe_unused]] static inline std::uint8_t float8e4m3_of_float(float value) noexcept {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t bits = all & 0x7FFF'FFFFU;
  const std::uint32_t normal = (bits + 0xC407'FFFFU + ((bits >> 20) & 1U)) >> 20;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0x1p14F) - 0x4680'0000U;
  std::uint32_t result = bits < 0x3C80'0000U ? subnormal : normal;
  result = result > 0x7EU ? 0x7EU : result;
  result = bits > 0x7F80'0000U ? 0x7FU : result;
  return static_cast<std::uint8_t>(result | ((all >> 24) & 0x80U));
}

[[maybe_unused]] static inline std::uint8_t float8e5m2_of_float(float value) noexcept {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t bits = all & 0x7FFF'FFFFU;
  const std::uint32_t normal = (bits + 0xC80F'FFFFU + ((bits >> 21) & 1U)) >> 21;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0x1p7F) - 0x4300'0000U;
  std::uint32_t result = bits < 0x3880'0000U ? subnormal : normal;
  result = result > 0x7BU ? 0x7BU : result;
  result = bits > 0x7F80'0000U ? 0x7FU : result;
  return static_cast<std::uint8_t>(result | ((all >> 24) & 0x80U));
}
// NOLINTEND(misc-definitions-in-headers)

}  // namespace collbench
