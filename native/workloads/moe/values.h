#pragma once
// Data of tokens, expert outputs and gate weights: functions of rank, token, expert and iteration, so that
// every row says where it is from.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collectives/half.h"

namespace collbench::moe {

/// Returns well-mixed bits of a number (finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31);
}

/// Source of all data of one operation.
struct DataKey {
  std::uint64_t seed = 0, iteration = 0;

  /// Returns the key of a token's content.
  [[nodiscard]] constexpr std::uint64_t of_token(int rank, std::uint32_t token) const noexcept {
    return mixed(mixed(mixed(seed + 0x9E3779B97F4A7C15ULL) + iteration) +
                 ((static_cast<std::uint64_t>(rank) << 32) | token));
  }
  /// Returns the key of what an expert makes of a token.
  [[nodiscard]] constexpr std::uint64_t of_output(int rank, std::uint32_t token,
                                                  std::uint32_t expert) const noexcept {
    return mixed(of_token(rank, token) + 0x632BE59BD9B4E019ULL * (expert + 1));
  }
};

/// Returns the `index`-th 8 bytes of a row with this key.
constexpr std::uint64_t word_of(std::uint64_t key, std::size_t index) noexcept {
  return mixed(key + index * 0x9E3779B97F4A7C15ULL);
}

/// Returns element `index` of an expert's output with this key: a bfloat16 from -2 to 2, in steps of 1/64.
inline std::uint16_t output_element(std::uint64_t key, std::size_t index) noexcept {
  const auto bits = static_cast<std::uint8_t>(word_of(key, index / 8) >> (index % 8 * 8));
  return bfloat16_of_float(static_cast<float>(static_cast<int>(bits) - 128) / 64.0F);
}

/// Returns the gate weight with which an expert's output counts, from 0 to 1.
inline float weight_of(std::uint64_t output_key) noexcept {
  return static_cast<float>(mixed(output_key + 1) >> 40) * 0x1p-24F;
}

}  // namespace collbench::moe
