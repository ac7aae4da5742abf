#pragma once
// Collectives by kernels of our own: buffers, and how calls come to the kernels of stores (stores.h) or of
// puts (device/direct_device.h).
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "collectives/collective.h"
#include "cuda/computations.h"
#include "engines/cuda/device/direct_device.h"
#include "engines/cuda/settings.h"
#include "engines/cuda/stores.h"
#include "engines/cuda/windows.h"
#include "engines/engine.h"

namespace collbench::gpu {

std::span<const std::string_view> direct_kinds() noexcept;
std::span<const std::string_view> direct_types() noexcept;
std::span<const std::string_view> direct_ops() noexcept;

class Direct {
 public:
  static constexpr std::size_t kBuffers = 2;
  Direct(cuda::Device& device, cuda::Computations& computations, std::unique_ptr<Windows> windows, int rank,
         int ranks, const CudaSettings& settings);
  ~Direct();
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  /// Own buffers as calls use them; all ranks take them together, of equal length.
  void* buffer(std::size_t index, std::size_t bytes);
  void release();
  /// Where kernels find the same place of equal buffers, by rank; all ranks together.
  std::vector<std::byte*> reach(const void* at);
  /// Queues it; all ranks together. @throws Error(kUnavailable) where windows cannot be made
  void queue(const Call& call);
  /// For work that has ended. @throws Error(kConnectionLost) a completion failed
  void check() const;
  /// Lets kernels go that wait for ranks that are gone.
  void stop() noexcept;
  /// "one-shot", "two-shot", "direct"; with stores also those of plan.h.
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const;
  /// Grid of stores: "4x512".
  [[nodiscard]] std::string protocol_of(const Operation& operation) const;
  /// Of kernels that have ended.
  [[nodiscard]] TransportCounters counters() const;

 private:
  struct Buffer {
    cuda::DeviceMemory memory;
    std::vector<ibgda::Span> at;  // by rank; empty: not exposed yet
  };
  void expose(std::size_t index, Buffer& buffer);
  void fit_slots(std::size_t slot_bytes);
  const Buffer& holding(const void* at) const;
  void queue_stores(const Call& call);
  void queue_puts(const Call& call);

  cuda::Device& device_;
  cuda::Computations& computations_;
  const int rank_, ranks_;
  const CudaSettings settings_;
  std::uint64_t epoch_ = 0;
  std::size_t slot_bytes_ = 0;
  cuda::DeviceMemory counters_;
  cuda::PinnedMemory mailbox_;
  std::array<Buffer, kBuffers> buffers_;
  Buffer inbox_;                      // of puts: Inbox, then slots of two turns
  std::unique_ptr<Windows> windows_;  // ends before what it shows
  std::optional<Stores> stores_;      // none where lanes put
};

}  // namespace collbench::gpu
