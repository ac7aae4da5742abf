#pragma once
// Memory of each rank that kernels of other ranks access: by stores (CUDA IPC), or by an adapter's puts.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.h"
#include "transports/ibgda/lane.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// Exchanges blobs among all ranks. @returns all of them, by rank
using ExchangeBlobs = std::function<std::vector<std::string>(const std::string& mine)>;

class Windows {
 public:
  virtual ~Windows() = default;
  /// Replaces window `index` by this memory; all ranks call it together. Nobody may still use the old one.
  /// @returns addresses by rank as kernels of this rank use them, including its own
  /// @throws Error(kUnavailable)
  virtual std::vector<ibgda::KeyedAddress> expose(std::size_t index, void* memory, std::size_t bytes) = 0;
  virtual void drop(std::size_t index) = 0;
  /// Returns queues that kernels write, indexed by [block][rank]; null if stores are used.
  [[nodiscard]] virtual ibgda::QueueCursor* lanes() const noexcept { return nullptr; }
  /// Returns the number of blocks that have queues; 0 = any number.
  [[nodiscard]] virtual std::uint32_t blocks() const noexcept { return 0; }
};

/// Creates windows for stores. @throws Error(kUnavailable) if the GPUs of two ranks cannot access each other
std::unique_ptr<Windows> make_store_windows(cuda::Device& device, int rank, ExchangeBlobs exchange);
/// Creates windows for puts and connects queues to all other ranks.
std::unique_ptr<Windows> make_put_windows(cuda::Device& device, PutPort& port, int rank, int ranks,
                                          ExchangeBlobs exchange);

}  // namespace collbench::gpu
