#pragma once
// Inner loops of the data pattern (pattern.h), with one table per instruction set.
#include <cstddef>
#include <cstdint>

#include "collectives/isa.h"
#include "core/dtype.h"

namespace collbench {

/// Form of the test data: how an element's pseudorandom bits become a value of which reductions are exact.
enum class ValueForm : std::uint8_t {
  kWide,    // Integers of whole range, lowest bit fixed (1 for products, else 0); exact because they wrap.
  kSmall,   // Integers of few bits around zero, whose sums fit the type.
  kPower,   // Plus or minus a power of two of bounded exponent, whose products are exact.
  kMean,    // Integers in two parts: one that all ranks share and one that two ranks cancel.
  kSparse,  // A power of two at two ranks, its negative at a third, zero at the others.
};

/// Description of test data to compute: a block of consecutive elements, of one rank's input (`ranks` = 1) or
/// of the result of reducing the inputs of `ranks` ranks.
struct ValueRequest {
  ValueForm form = ValueForm::kWide;
  ReduceOp op = ReduceOp::kSum;
  std::uint32_t key = 0;    // Key from the seed and the upper half of the index.
  std::uint32_t first = 0;  // Lower half of the index of the block's first element.
  std::size_t count = 0;    // Number of elements, 1 to kPatternBlock.
  /// Number that each rank adds to an element's pseudorandom bits, so that ranks differ, by rank. Not used by
  /// kMean and kSparse.
  const std::uint64_t* offsets = nullptr;
  int ranks = 1;           // Number of ranks that are combined; 1 = input of one rank.
  int bits = 0;            // kSmall: bits of a value; kMean: of the mean; kPower: of the exponent.
  bool scrambled = false;  // If true, each rank's bits are mixed again.
  /// Mask of the pseudorandom bits that differ between ranks, used if scrambled; the others are equal on all.
  std::uint32_t own = ~0U;
  bool centred = true;  // kSmall, kMean: half of the range lies below zero.
  int divisor = 0;      // Averages: number of ranks; 0 = no division.
  int rank = 0;         // kMean, kSparse: rank of the input; kAllRanks: sum of all.
  int members = 1;      // kMean, kSparse: number of ranks in the operation.
};
inline constexpr int kAllRanks = -1;
/// kMean: mask of the pseudorandom bits that give a deviation. Half of this value is subtracted, so that
/// deviations are positive and negative.
inline constexpr std::uint32_t kDeviationMask = 15;
/// Test data of form kSparse: number of pseudorandom bits that give the exponent, so exponents are 0 to 3.
inline constexpr int kSparseBits = 2;
inline constexpr std::size_t kPatternBlock = 2048;

struct PatternKernels {
  void (*values[kDataTypeCount])(const ValueRequest& request, void* out);
};
/// Returns the functions that compute test data, one per element type, compiled for an instruction set.
/// @param isa not above best_isa(), the best that this CPU has
const PatternKernels& pattern_kernels(Isa isa) noexcept;

const PatternKernels& pattern_kernels_base() noexcept;
const PatternKernels& pattern_kernels_avx2() noexcept;
const PatternKernels& pattern_kernels_avx512() noexcept;

}  // namespace collbench
