#pragma once
// Decides which values a pattern takes, once for the loops on the host and the kernels on a GPU.
#include <cstdint>

#include "collectives/pattern.h"
#include "collectives/pattern_kernels.h"

namespace collbench {

bool is_float(DataType type) noexcept;
/// Returns true if an integer type is signed.
bool is_signed(DataType type) noexcept;

/// Constant A of the pattern: rank r adds r times this number to an element's pseudorandom bits. It is odd,
/// so that neighbouring ranks differ in the lowest bit.
inline constexpr std::uint64_t kRankStep = 0x9E37'79B9'7F4A'7C15ULL;
inline constexpr std::uint64_t kIterationStep = 0xD1B5'4A32'D192'ED03ULL;

/// Returns the key that is combined with the lower half of an element's index to get its pseudorandom bits.
/// Each iteration has its own key.
/// @param index_high upper half of the index
std::uint32_t key_of(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index_high) noexcept;

/// Returns how to compute one rank's input: form, reduction and number of bits. The caller sets key, index,
/// offsets and rank. Collectives that do not reduce get the values for max, which have the most bits.
ValueRequest input_request(const Pattern& pattern) noexcept;
/// Returns how to compute the result of the reduction over all ranks; otherwise as input_request().
ValueRequest result_request(const Pattern& pattern) noexcept;

/// Returns the byte with which poison() fills an output. Repeated, it forms a value that no operation of this
/// type and reduction can produce (floats: NaN).
std::uint8_t poison_byte(const Operation& operation) noexcept;

}  // namespace collbench
