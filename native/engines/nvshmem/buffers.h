#pragma once
// The two buffers of a rank in symmetric memory; all ranks take them together, of equal length.
#include <array>

#include "engines/nvshmem/kernels.h"

namespace collbench::nvshmem {

class Buffers {
 public:
  explicit Buffers(Kernels& kernels) : kernels_(kernels) {}
  ~Buffers() { release(); }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  /// @param index 0 send, 1 receive. Grows; kernels may touch up to 16 bytes behind what was asked for.
  void* get(int index, std::size_t bytes);
  void release();

 private:
  struct Buffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  Kernels& kernels_;
  std::array<Buffer, 2> buffers_;
};

}  // namespace collbench::nvshmem
