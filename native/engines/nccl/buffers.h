#pragma once
// The two buffers of a rank, in plain device memory or in memory that NCCL knows.
#include <array>

#include "cuda/device.h"
#include "engines/nccl/communicator.h"

namespace collbench::nccl {

class Buffers {
 public:
  Buffers(cuda::Device& device, Communicator& comm, Registration registration);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  /// @param index 0 send, 1 receive. Grows; contents of a grown buffer are zero. Symmetric: all ranks
  /// together.
  void* get(int index, std::size_t bytes);
  /// The window of symmetric memory in which an address of these buffers lies, and how far into it, bytes.
  struct Place {
    void* window;
    std::size_t offset;
  };
  /// @throws Error(kInternal) an address of no window
  [[nodiscard]] Place place_of(const void* address) const;
  /// Frees both.
  void release();

 private:
  struct Buffer {
    cuda::DeviceMemory plain;
    void* registered = nullptr;  // from ncclMemAlloc
    void* handle = nullptr;      // registration or window
    std::size_t bytes = 0;
  };
  void free(Buffer& buffer) noexcept;

  cuda::Device& device_;
  Communicator& comm_;
  const Registration registration_;
  std::array<Buffer, 2> buffers_;
};

}  // namespace collbench::nccl
