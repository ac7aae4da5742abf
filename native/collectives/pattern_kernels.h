#pragma once
// Inner loops of the input pattern (pattern.h), one table per instruction set.
#include <cstddef>
#include <cstdint>

#include "collectives/isa.h"
#include "core/dtype.h"

namespace collbench {

/// How the mixed bits of an element become a value.
enum class ValueForm : std::uint8_t {
  kWide,    // integers over their whole range, exact by wrap-around
  kSmall,   // integers of few bits around zero: their sums fit the type
  kPower,   // plus or minus a power of two of bounded exponent: products are exact
  kMean,    // integers of two parts: one that all ranks share, one that two ranks cancel
  kSparse,  // a power of two at two ranks, its negative at a third, zero at the others
};

/// One block of consecutive elements combined over `ranks` ranks.
struct ValueRequest {
  ValueForm form = ValueForm::kWide;
  ReduceOp op = ReduceOp::kSum;
  std::uint32_t key = 0;                   // from the seed (and the upper half of the index)
  std::uint32_t first = 0;                 // index of the block's first element, lower half
  std::size_t count = 0;                   // 1 to kPatternBlock
  const std::uint64_t* offsets = nullptr;  // one per rank: what sets ranks apart; not of kMean and kSparse
  int ranks = 1;                           // that are combined; 1: input of one
  int bits = 0;                            // kSmall: bits of a value; kPower: bits of the exponent
  bool scrambled = false;                  // each rank's bits are mixed again
  std::uint32_t own = ~0U;  // scrambled: bits that are a rank's own; all ranks share the others
  bool centred = true;      // kSmall, kMean: half of the range below zero
  int divisor = 0;          // avg: ranks; 0 = no division
  int rank = 0;             // kMean, kSparse: of the input; kAllRanks: the sum of all
  int members = 1;          // kMean, kSparse: ranks of the operation
};
inline constexpr int kAllRanks = -1;
/// kMean: bits of what two ranks cancel; half of it is taken off.
inline constexpr std::uint32_t kDeviationMask = 15;
/// kSparse: exponents of the power are 0 to 3.
inline constexpr int kSparseBits = 2;
inline constexpr std::size_t kPatternBlock = 2048;

struct PatternKernels {
  void (*values[kDataTypeCount])(const ValueRequest& request, void* out);
};
/// @param isa not above best_isa()
const PatternKernels& pattern_kernels(Isa isa) noexcept;

const PatternKernels& pattern_kernels_base() noexcept;
const PatternKernels& pattern_kernels_avx2() noexcept;
const PatternKernels& pattern_kernels_avx512() noexcept;

}  // namespace collbench
