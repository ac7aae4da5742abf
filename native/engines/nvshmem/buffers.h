#pragma once
// Send and receive buffer of a rank in symmetric memory. All ranks allocate them together, with equal
// lengths.
#include <array>

#include "engines/nvshmem/kernels.h"

namespace collbench::nvshmem {

class NvshmemBuffers {
 public:
  explicit NvshmemBuffers(NvshmemKernels& kernels) : kernels_(kernels) {}
  ~NvshmemBuffers() { release(); }
  NvshmemBuffers(const NvshmemBuffers&) = delete;
  NvshmemBuffers& operator=(const NvshmemBuffers&) = delete;
  /// Returns this rank's send buffer (`index` 0) or receive buffer (1) with at least `bytes`, and 16 more
  /// that kernels may read or write. A buffer that is too short is replaced, and its contents are lost. All
  /// ranks must call it together.
  void* get(int index, std::size_t bytes);
  void release();

 private:
  struct SymmetricBuffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  NvshmemKernels& kernels_;
  std::array<SymmetricBuffer, 2> buffers_;
};

}  // namespace collbench::nvshmem
