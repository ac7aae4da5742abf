#pragma once
// What goes into a collective and what must come out. Values differ by rank, index, iteration and seed, and
// are so chosen that every reduction is exact in every type, in whatever order the ranks are combined: so
// comparing is bitwise.
//
//   element i of rank r in iteration t:  x = mix(i, key of seed and t) + r*A (A odd, modulo the bits in use),
//   then integers    sum, min, max: 2x and prod: 2x+1, wrapping (even and odd, so that the poison is never
//   right);
//               avg: few bits, so that the sum fits; of one byte over many ranks a mean that all share, a
//               deviation that neighbours cancel, and one more on all but the first rank of half the elements
//   floats      sum, premulsum, avg: integers of so few bits that the sum over all ranks fits the
//   significand;
//               avg over other numbers of ranks than powers of two: a power of two at two ranks, its negative
//               at the third, zero at the others, beginning anywhere. Each partial sum is a power of two
//               then, which n divides as 1/n multiplies: NCCL multiplies each input by the rounded 1/n; min,
//               max: integers as wide as the significand; prod: plus or minus powers of two whose product
//               stays a normal number
// Equal index, neighbouring rank: never the same input value, as long as there are fewer ranks than values.
// With more of them x is mixed again, because all ranks together would give the same result always; min and
// max take the upper half of their bits from what ranks share. Each iteration has data of its own everywhere:
// any two agree no more than by chance.
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

/// Writes the send data of `rank`: shape_of(...).send_elements at `send`.
void fill_input(const Pattern& pattern, int rank, std::uint64_t iteration, void* send);

/// Writes elements [first, first + count) of the send data of `rank`.
void input_elements(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                    std::size_t count, void* out);

/// Sums are exact up to 8 ranks in float8e5m2, 16 in float8e4m3, 256 in bfloat16, 2048 in float16, and
/// further in the wider types; premulsum up to two thirds of that; averages of floats as long as 1/ranks is
/// no subnormal, which is 64 ranks in float8e4m3, averages of bytes up to 128.
/// @throws Error(kInvalidArgument) where it is not, with the number of ranks up to which it would be
void check_exact(const Pattern& pattern);

/// Writes elements [first, first + count) of what `rank` must receive. Only for elements inside its receive
/// shape. @throws as check_exact()
void expected_output(const Pattern& pattern, int rank, std::uint64_t iteration, std::size_t first,
                     std::size_t count, void* out);

/// Overwrites `bytes` at `data` with the value that no operation of this type and op ever yields (floats:
/// NaN).
void poison(const Operation& operation, void* data, std::size_t bytes);

/// Poisons the receive buffer, then fills the input. In place `send` lies in the receive buffer
/// (result_in_send(): `recv` lies in the send buffer) at in_place_offset(); the input is what remains.
void prepare_buffers(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv);

/// Compares all elements that `rank` must have received (reduce, gather: the root only; compared is 0
/// elsewhere); indices are those of the receive buffer. @throws as check_exact()
Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const void* recv);

}  // namespace collbench
