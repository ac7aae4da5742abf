#pragma once
// Memory of each rank that kernels of the others reach: by stores (CUDA IPC), or by puts of an adapter.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"
#include "transports/ibgda/lane.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// All ranks give something to all others. @returns by rank
using Exchange = std::function<std::vector<std::string>(const std::string& mine)>;

class Windows {
 public:
  virtual ~Windows() = default;
  /// Replaces window `index` by that memory; all ranks together. Nobody uses the old one any more.
  /// @returns by rank, as kernels of this rank reach it; the own too @throws Error(kUnavailable)
  virtual std::vector<ibgda::Span> expose(std::size_t index, void* memory, std::size_t bytes) = 0;
  virtual void drop(std::size_t index) = 0;
  /// Of queues that kernels write, [block][rank]; null where stores do it.
  [[nodiscard]] virtual ibgda::Lane* lanes() const noexcept { return nullptr; }
  /// Blocks that have queues; 0 = as many as one likes.
  [[nodiscard]] virtual std::uint32_t blocks() const noexcept { return 0; }
};

/// @throws Error(kUnavailable) where the GPUs of two ranks cannot reach each other
std::unique_ptr<Windows> make_store_windows(cuda::Device& device, int rank, Exchange exchange);
/// Connects queues to all others.
std::unique_ptr<Windows> make_put_windows(cuda::Device& device, PutPort& port, int rank, int ranks,
                                          Exchange exchange);

}  // namespace collbench::gpu
