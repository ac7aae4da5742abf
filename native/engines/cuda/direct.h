#pragma once
// Collectives by our own kernels: their buffers, and how calls reach the kernels that store (stores.h) or put
// (device/direct_device.h).
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

/// These functions return the names of all collectives, data types and reductions that the kernels can
/// execute.
std::span<const std::string_view> direct_kinds() noexcept;
std::span<const std::string_view> direct_types() noexcept;
std::span<const std::string_view> direct_ops() noexcept;

class KernelCollectives {
 public:
  static constexpr std::size_t kBuffers = 2;
  KernelCollectives(cuda::Device& device, cuda::Computations& computations, std::unique_ptr<Windows> windows,
                    int rank, int ranks, const CudaSettings& settings);
  ~KernelCollectives();
  KernelCollectives(const KernelCollectives&) = delete;
  KernelCollectives& operator=(const KernelCollectives&) = delete;

  /// Returns this rank's send buffer (`index` 0) or receive buffer (1) with at least `bytes`; contents are
  /// lost when it grows. Other ranks' kernels can access it, so all ranks must call it together and with
  /// equal lengths.
  void* buffer(std::size_t index, std::size_t bytes);
  /// Frees both buffers and ends the access of other ranks to them.
  void release();
  /// Returns, for each rank, the address at which this rank's kernels reach the memory of that rank that
  /// corresponds to `at`. `at` is in one of this rank's buffers. All ranks must call it together.
  std::vector<std::byte*> reach(const void* at);
  /// Queues a collective on the device's stream; all ranks must call it together. Does nothing if the call
  /// has 0 elements.
  /// @throws Error(kUnavailable) if ranks cannot access each other's memory; Error(kInvalidArgument) for a
  /// type or reduction that the kernels lack, or buffers that are not from buffer()
  void queue(const CollectiveCall& call);
  /// Checks for errors of kernels that have ended.
  /// @throws Error(kConnectionLost) if the adapter reported a failed put
  void check() const;
  /// Makes this rank's kernels end if they wait for data of other ranks, for example because those have died.
  void stop() noexcept;
  /// Returns the algorithm for an operation. If kernels store to other ranks (transport p2p): "one-shot",
  /// "two-shot", "loads" or "staged" for allreduce, "packets" or "direct" for others (README.md explains
  /// them). If they put through the adapter (ibgda): "one-shot" or "two-shot" for allreduce of several ranks,
  /// otherwise "direct".
  [[nodiscard]] std::string algorithm_of(const Operation& operation) const;
  /// Returns the launch shape of the kernel for an operation as blocks x threads, with the piece size in KiB
  /// if the algorithm works in pieces: "4x512", "128x1024/256K". "" unless kernels store to other ranks
  /// (transport p2p).
  [[nodiscard]] std::string protocol_of(const Operation& operation) const;
  /// Returns bytes and messages that this rank's kernels have sent and received, in kernels that have ended.
  [[nodiscard]] TransportCounters counters() const;

 private:
  struct ExposedBuffer {
    cuda::DeviceMemory memory;
    std::vector<ibgda::KeyedAddress> at;  // Addresses by rank; empty = not exposed yet.
  };
  void expose(std::size_t index, ExposedBuffer& buffer);
  void fit_slots(std::size_t slot_bytes);
  const ExposedBuffer& holding(const void* at) const;
  void queue_stores(const CollectiveCall& call);
  void queue_puts(const CollectiveCall& call);

  cuda::Device& device_;
  cuda::Computations& computations_;
  const int rank_, ranks_;
  const CudaSettings settings_;
  std::uint64_t epoch_ = 0;
  std::size_t slot_bytes_ = 0;
  cuda::DeviceMemory counters_;
  cuda::PinnedMemory mailbox_;
  std::array<ExposedBuffer, kBuffers> buffers_;
  ExposedBuffer inbox_;                     // Memory for puts: the Inbox, then slots of two turns.
  std::unique_ptr<Windows> windows_;        // Destroyed before the memory that it exposes.
  std::optional<StoreCollectives> stores_;  // Absent if the transport puts.
};

}  // namespace collbench::gpu
