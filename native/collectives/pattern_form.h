#pragma once
// Which values a pattern takes: decided once here for the loops on the host and the kernels on a GPU.
#include <cstdint>

#include "collectives/pattern.h"
#include "collectives/pattern_kernels.h"

namespace collbench {

bool is_float(DataType type) noexcept;
/// Of integers.
bool is_signed(DataType type) noexcept;

/// rank*kRankStep is added to the mixed bits of an element. Odd, so that neighbours differ in the lowest bit.
inline constexpr std::uint64_t kRankStep = 0x9E37'79B9'7F4A'7C15ULL;
inline constexpr std::uint64_t kIterationStep = 0xD1B5'4A32'D192'ED03ULL;

/// Key that is mixed with the lower half of an element's index: each iteration has other bits everywhere.
std::uint32_t key_of(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index_high) noexcept;

/// Form, op and bits of one rank's input; key, index, offsets and rank are the caller's. Collectives that
/// only move data take the values of max, which are the widest.
ValueRequest input_request(const Pattern& pattern) noexcept;
/// The same of all ranks' inputs combined.
ValueRequest result_request(const Pattern& pattern) noexcept;

/// Repeated over the memory it gives a value that no operation of this type and op ever yields (floats: NaN).
std::uint8_t poison_byte(const Operation& operation) noexcept;

}  // namespace collbench
