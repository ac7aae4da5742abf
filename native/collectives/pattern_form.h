#pragma once
// Decides which values a pattern takes, once for the loops on the host and the kernels on a GPU.
#include <cstdint>

#include "collectives/pattern.h"
#include "collectives/pattern_kernels.h"

namespace collbench {

bool is_float(DataType type) noexcept;
/// Returns true for int8, int32 and int64; false for unsigned integers and floating-point types.
bool is_signed(DataType type) noexcept;

/// Constant A of the pattern: rank r adds r times this number to an element's pseudorandom bits. It is odd,
/// so that neighbouring ranks differ in the lowest bit.
inline constexpr std::uint64_t kRankStep = 0x9E37'79B9'7F4A'7C15ULL;
inline constexpr std::uint64_t kIterationStep = 0xD1B5'4A32'D192'ED03ULL;

/// Returns a pseudorandom key for the test data of one iteration. Combined with the lower 32 bits of an
/// element's index, it gives the element's pseudorandom bits.
/// @param index_high upper 32 bits of the index
std::uint32_t key_of(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index_high) noexcept;

/// Returns how to compute the test data of one rank: form, reduction and number of bits. The caller sets key,
/// first, count, offsets and rank. Collectives that do not reduce get the test data of a reduction with max,
/// which uses more bits of the type than that of sums.
ValueRequest input_request(const Pattern& pattern) noexcept;
/// Returns how to compute the expected result of reducing the test data of all ranks; the caller sets the
/// same fields as for input_request().
ValueRequest result_request(const Pattern& pattern) noexcept;

/// Returns the byte with which poison() fills an output. Repeated, it forms a value that no operation of this
/// type and reduction can produce (floats: NaN).
std::uint8_t poison_byte(const Operation& operation) noexcept;

}  // namespace collbench
