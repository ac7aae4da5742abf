#pragma once
// Reduction loops, with one table per instruction set.
#include <cstddef>

#include "collectives/isa.h"
#include "core/dtype.h"

namespace collbench::cpu {

/// Function that computes out[i] = a[i] op b[i] for `count` elements. `out` may be equal to `a` or `b` but
/// must not overlap them in another way. 16-bit floats are combined as float32 and rounded to nearest even;
/// integers wrap.
using Combine = void (*)(void* out, const void* a, const void* b, std::size_t count);
/// Computes data[i] /= divisor; integers truncate towards zero.
using Divide = void (*)(void* data, std::size_t count, int divisor);

struct Kernels {
  /// Functions by data type and reduction. kAvg has the function of kSum; Divide then makes the mean.
  Combine combine[kHostDataTypeCount][kHostReduceOpCount];
  Divide divide[kHostDataTypeCount];
};
/// Returns the functions compiled for an instruction set.
/// @param isa not above best_isa(), the best that this CPU has
const Kernels& kernels(Isa isa) noexcept;

const Kernels& kernels_base() noexcept;
const Kernels& kernels_avx2() noexcept;
const Kernels& kernels_avx512() noexcept;

}  // namespace collbench::cpu
