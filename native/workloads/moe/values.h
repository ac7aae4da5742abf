#pragma once
// Data of tokens, expert outputs and gate weights: functions of rank, token, expert and iteration, so that
// every row says where it is from.
#include <array>
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

/// Writes an expert's output with this key: bfloat16 from -2 to below 2, in steps of 1/64.
/// @param elements a multiple of 8
inline void write_output(std::uint64_t key, std::uint16_t* to, std::size_t elements) noexcept {
  static const std::array<std::uint16_t, 256> values = [] {
    std::array<std::uint16_t, 256> all{};
    for (std::size_t n = 0; n < all.size(); ++n)
      all[n] = bfloat16_of_float((static_cast<float>(n) - 128.0F) / 64.0F);
    return all;
  }();
  for (std::size_t at = 0; at < elements; at += 8) {
    const std::uint64_t word = word_of(key, at / 8);
    for (std::size_t n = 0; n < 8; ++n) to[at + n] = values[static_cast<std::uint8_t>(word >> (n * 8))];
  }
}

/// Returns the gate weight with which an expert's output counts, from 0 to below 1.
inline float weight_of(std::uint64_t output_key) noexcept {
  return static_cast<float>(mixed(output_key + 1) >> 40) * 0x1p-24F;
}

}  // namespace collbench::moe
