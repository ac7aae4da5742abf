#pragma once
// Send and receive buffer of a rank, in plain device memory or in memory registered with NCCL.
#include <array>

#include "cuda/device.h"
#include "engines/nccl/communicator.h"

namespace collbench::nccl {

class NcclBuffers {
 public:
  NcclBuffers(cuda::Device& device, Communicator& comm, Registration registration);
  ~NcclBuffers();
  NcclBuffers(const NcclBuffers&) = delete;
  NcclBuffers& operator=(const NcclBuffers&) = delete;
  /// Returns this rank's send buffer (`index` 0) or receive buffer (1) with at least `bytes`. If the buffer
  /// is too short, it is replaced by a longer one filled with zeros. With symmetric registration all ranks
  /// must call it together.
  void* get(int index, std::size_t bytes);
  /// NCCL window (symmetric memory) that contains an address, and the address's offset in it in bytes.
  struct WindowOffset {
    void* window;
    std::size_t offset;
  };
  /// Returns the window that contains an address of the send or receive buffer.
  /// @throws Error(kInternal) if the address is not in memory registered as a window
  [[nodiscard]] WindowOffset window_offset_of(const void* address) const;
  /// Frees send and receive buffer and their registrations.
  void release();

 private:
  struct RegisteredBuffer {
    cuda::DeviceMemory plain;
    void* registered = nullptr;  // Memory from ncclMemAlloc.
    void* handle = nullptr;      // Registration or window.
    std::size_t bytes = 0;
  };
  void free(RegisteredBuffer& buffer) noexcept;

  cuda::Device& device_;
  Communicator& comm_;
  const Registration registration_;
  std::array<RegisteredBuffer, 2> buffers_;
};

}  // namespace collbench::nccl
