#pragma once
// The halo exchange with a GPU as the device: kernels and memory operations in the order of its stream,
// between the updates. On path `host` alone the host waits for the GPU in every iteration.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "workloads/controlpath/actor.h"
#include "workloads/controlpath/mailbox.h"
#include "workloads/stencil/exchange_kernel.h"
#include "workloads/stencil/initiator.h"

namespace collbench::stencil {

class GpuExchange {
 public:
  /// @param puts null: the neighbours' lanes are reached by stores; paths other than kHost and kKernel need
  /// them
  GpuExchange(Engine& engine, Path path, const Memory& memory, const Neighbours& neighbours, Puts* puts);
  ~GpuExchange();

  /// One exchange. Updates that are queued behind it find the halos.
  void operate(int turn);
  /// Once the GPU has done all: what went wrong. @throws Error(kConnectionLost)
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
  const Memory& memory_;
  Puts* const puts_;
  const std::uint32_t spins_;
  const std::function<void()> proxy_job_;
  ExchangeArgs args_{};
  std::array<int, kMostLinks> sides_{};  // of the links
  std::array<u64, kMostLinks> there_{};  // their neighbours' first lanes
  std::uint64_t sent_bytes_ = 0;         // in an exchange
  std::uint32_t posted_ = 0;             // exchanges since the host last waited
  int proxy_turn_ = 0;
  controlpath::SharedMailbox box_;
  std::optional<controlpath::Actor> proxy_;  // ends first
};

}  // namespace collbench::stencil
