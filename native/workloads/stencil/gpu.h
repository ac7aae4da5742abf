#pragma once
// Halo exchange with a GPU as the device: kernels and memory operations in its stream, between the updates.
// On path kHost the host waits for the GPU in every iteration.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "workloads/controlpath/helper_thread.h"
#include "workloads/controlpath/mailbox.h"
#include "workloads/stencil/initiator.h"
#include "workloads/stencil/kernels.h"

namespace collbench::stencil {

class GpuExchange {
 public:
  /// @param puts queues for puts to the neighbours; null = kernels store into the neighbours' memory. Every
  /// path except kHost and kKernel needs puts.
  GpuExchange(Engine& engine, Path path, const HaloMemory& memory, const Neighbours& neighbours,
              HaloPuts* puts);
  ~GpuExchange();

  /// Queues one exchange on the stream. On path kHost it first waits until the GPU is idle; then it does the
  /// puts itself, or without puts waits for the kernel that stores the points. Updates that are queued later
  /// use the new halos.
  /// @param turn 0 or 1: which of the two lanes per side is used
  void operate(int turn);
  /// Waits for all exchanges so far and checks them for errors.
  /// @throws Error(kConnectionLost) if an adapter reported a failed put
  void finish();

 private:
  void reach(const Neighbours& neighbours);
  void launch(ExchangeJob job);
  void point_at_lanes(int turn);
  void post_for_device(int turn);
  void go_host_path(int turn);
  void ask_proxy(int turn);
  void serve_proxy();
  void await_proxy();
  void wait_for_all();

  Engine& engine_;
  const Path path_;
  const HaloMemory& memory_;
  HaloPuts* const puts_;
  const std::uint32_t spins_;
  const std::function<void()> proxy_job_;
  ExchangeArgs args_{};
  std::array<int, kMaxLinks> sides_{};  // Side of each link.
  std::array<u64, kMaxLinks> there_{};  // Address of each neighbour's first lane.
  std::uint64_t sent_bytes_ = 0;        // Bytes sent in one exchange.
  std::uint32_t posted_ = 0;            // Exchanges since the host last waited.
  int proxy_turn_ = 0;
  controlpath::SharedMailbox box_;
  std::optional<controlpath::HelperThread> proxy_;  // Destroyed first.
};

}  // namespace collbench::stencil
