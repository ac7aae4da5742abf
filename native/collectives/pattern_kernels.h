#pragma once
// Inner loops of the input pattern (pattern.h), one table per instruction set.
#include <cstddef>
#include <cstdint>

#include "collectives/isa.h"
#include "core/dtype.h"

namespace collbench {

/// How the mixed bits of an element become a value.
enum class ValueForm : std::uint8_t {
  kWide,   // integers over their whole range, exact by wrap-around
  kSmall,  // integers of few bits around zero: their sums fit the type
  kPower,  // plus or minus a power of two of bounded exponent: products are exact
};

/// One block of consecutive elements combined over `ranks` ranks.
struct ValueRequest {
  ValueForm form = ValueForm::kWide;
  ReduceOp op = ReduceOp::kSum;
  std::uint32_t key = 0;                   // from the seed (and the upper half of the index)
  std::uint32_t first = 0;                 // index of the block's first element, lower half
  std::size_t count = 0;                   // 1 to kPatternBlock
  const std::uint64_t* offsets = nullptr;  // one per rank: what sets ranks and iterations apart
  int ranks = 1;
  int bits = 0;            // kSmall: bits of a value; kPower: bits of the exponent
  bool scrambled = false;  // each rank's bits are mixed again
  bool centred = true;     // kSmall: half of the range below zero
  int divisor = 0;         // avg: ranks; 0 = no division
  int scale = 1;           // kSmall floats: the combined value is multiplied by it
};
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
