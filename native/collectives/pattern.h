#pragma once
// Input data of a collective and its expected output. Values differ by rank, index, iteration and seed. Every
// reduction of them is exact in every type and in any order of the ranks. So outputs are compared bit by bit.
//
// Element i of rank r in iteration t is x = mix(i, key of seed and t) + r*A (A odd, modulo the bits in use).
// - Integers, sum, min, max: 2x; prod: 2x+1, wrapping. Results are even or odd, so the poison is never right.
// - Integers, avg: few bits, so that the sum fits. For one byte and many ranks the value is a mean that all
//   ranks share plus a deviation that neighbours cancel. Half of the elements have 1 more on all but rank 0.
// - Floats, sum, premulsum, avg: integers of few bits, so that the sum over all ranks fits the significand.
// - Floats, avg over a number of ranks that is no power of two: a power of two at two ranks, its negative
//   at a third, zero at the others, from a varying first rank. Each partial sum is then a power of two.
//   Dividing it by n equals multiplying it by the rounded 1/n, as NCCL does with each input.
// - Floats, min, max: integers as wide as the significand.
// - Floats, prod: plus or minus powers of two whose product stays a normal number.
//
// Neighbouring ranks never have the same value at the same index, as long as there are fewer ranks than
// values. With more ranks, x is mixed again; otherwise all ranks together would always give the same result.
// min and max then take the upper half of their bits from what ranks share. Data of any two iterations agree
// only by chance.
#include <cstddef>
#include <cstdint>

#include "collectives/collective.h"
#include "core/verification.h"

namespace collbench {

struct Pattern {
  Operation operation;
  int ranks = 1;
  std::uint64_t seed = 0;
};

/// Writes the test data that `rank` contributes in this iteration to its whole send buffer `send`:
/// shape_of(...).send_elements elements.
void fill_input(const Pattern& pattern, int rank, std::uint64_t iteration, void* send);

/// Writes elements [first, first + count) of the test data in the send buffer of `rank` to `out`.
void input_elements(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                    std::size_t count, void* out);

/// Checks that the reduction has an exact result for this number of ranks. Sums are exact up to 8 ranks in
/// float8e5m2, 16 in float8e4m3, 256 in bfloat16, 2048 in float16, and more in wider types; premulsum up to
/// two thirds of that. Averages of floats are exact while 1/ranks is not subnormal (64 ranks in float8e4m3),
/// averages of bytes up to 128 ranks.
/// @throws Error(kInvalidArgument) with the largest number of ranks for which it is exact
void check_exact(const Pattern& pattern);

/// Writes elements [first, first + count) that the collective must leave in the receive buffer of `rank` to
/// `out`. They must be within that buffer.
/// @throws as check_exact()
void expected_output(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                     std::size_t count, void* out);

/// Overwrites an output buffer of `bytes` bytes with a value that no result can have (floats: NaN). Elements
/// that the collective did not write are then recognised as wrong.
void poison(const Operation& operation, void* data, std::size_t bytes);

/// Fills the receive buffer with poison() and then the send buffer with the input. In an in-place call the
/// input is a part of the receive buffer, at in_place_offset(), and overwrites the poison there. If
/// result_in_send(), `recv` is a part of the send buffer instead.
void prepare_buffers(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv);

/// Compares all elements that `rank` must have received in this iteration with the expected ones. For reduce
/// and gather, only the root has any (`compared` is 0 elsewhere). Indices in the result count the elements of
/// the receive buffer.
/// @throws as check_exact()
Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const void* recv);

}  // namespace collbench
