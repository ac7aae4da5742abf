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

/// Function that exchanges a text among all ranks; returns the texts of all ranks, by rank.
using ExchangeBlobs = std::function<std::vector<std::string>(const std::string& mine)>;

class Windows {
 public:
  virtual ~Windows() = default;
  /// Gives other ranks access to this GPU memory as window number `index`, in place of the window's earlier
  /// memory. All ranks must call it together. No kernel of any rank may still use the earlier memory.
  /// @returns by rank, this one included: address and key with which kernels of this rank access the window
  /// of that rank
  /// @throws Error(kUnavailable) if a rank's memory cannot be accessed from here
  virtual std::vector<ibgda::KeyedAddress> expose(std::size_t index, void* memory, std::size_t bytes) = 0;
  /// Ends the access through window number `index`: with puts, that of other ranks to this rank's memory;
  /// with stores, that of this rank to the memory of other ranks. When all ranks have called it, the window's
  /// memory can be freed.
  virtual void drop(std::size_t index) = 0;
  /// Returns the adapter's send queues into which kernels write entries, indexed by [thread block][rank].
  /// Null if kernels store directly to other ranks.
  [[nodiscard]] virtual ibgda::QueueCursor* lanes() const noexcept { return nullptr; }
  /// Returns the number of thread blocks of a kernel that have their own send queues of the adapter. 0 =
  /// kernels store directly, so any number of blocks may run.
  [[nodiscard]] virtual std::uint32_t blocks() const noexcept { return 0; }
};

/// Returns windows (GPU memory of all ranks) that this rank's kernels access by loads and stores.
/// @throws Error(kUnavailable) if the GPUs of two ranks cannot access each other
std::unique_ptr<Windows> make_store_windows(cuda::Device& device, int rank, ExchangeBlobs exchange);
/// Returns windows (GPU memory of all ranks) that kernels access by RDMA writes of an adapter. Connects send
/// queues to all other ranks.
std::unique_ptr<Windows> make_put_windows(cuda::Device& device, PutPort& port, int rank, int ranks,
                                          ExchangeBlobs exchange);

}  // namespace collbench::gpu
