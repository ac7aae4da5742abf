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
  /// Returns a buffer of at least `bytes`. Kernels may touch up to 16 bytes behind them.
  /// @param index 0 send, 1 receive
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
