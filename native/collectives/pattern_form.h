#pragma once
// Decides which values a pattern takes, once for the loops on the host and the kernels on a GPU.
#include <cstdint>

#include "collectives/pattern.h"
#include "collectives/pattern_kernels.h"

namespace collbench {

bool is_float(DataType type) noexcept;
/// Returns whether an integer type is signed.
bool is_signed(DataType type) noexcept;

/// Added rank times to the mixed bits of an element. It is odd, so that neighbouring ranks differ in the
/// lowest bit.
inline constexpr std::uint64_t kRankStep = 0x9E37'79B9'7F4A'7C15ULL;
inline constexpr std::uint64_t kIterationStep = 0xD1B5'4A32'D192'ED03ULL;

/// Returns the key that is mixed with the lower half of an element's index; each iteration has its own.
std::uint32_t key_of(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index_high) noexcept;

/// Returns form, reduction and bits for one rank's input; the caller sets key, index, offsets and rank.
/// Collectives that only move data use the values of max, which are the widest.
ValueRequest input_request(const Pattern& pattern) noexcept;
/// Same as input_request(), for the combined inputs of all ranks.
ValueRequest result_request(const Pattern& pattern) noexcept;

/// Returns the byte that, repeated, forms a value that no operation of this type and reduction can produce
/// (floats: NaN).
std::uint8_t poison_byte(const Operation& operation) noexcept;

}  // namespace collbench
