#include "engines/cpu/kernels_body.h"

namespace collbench::cpu {

const Kernels& kernels_base() noexcept { return kKernels; }

const Kernels& kernels(Isa isa) noexcept {
  switch (isa) {
    case Isa::kAvx512:
      return kernels_avx512();
    case Isa::kAvx2:
      return kernels_avx2();
    case Isa::kBase:
      break;
  }
  return kernels_base();
}

}  // namespace collbench::cpu
