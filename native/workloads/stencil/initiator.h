#pragma once
// Who does what in one iteration, with threads as host, device and proxy. The computation is a kernel of the
// device, which the host starts.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "workloads/controlpath/actor.h"
#include "workloads/stencil/puts.h"

namespace collbench::stencil {

enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel };

class Initiator {
 public:
  /// @param puts null: nothing is exchanged @param kernel null: nothing is computed; else with a turn
  Initiator(Engine& engine, Path path, Puts* puts, std::function<void(int)> kernel);
  ~Initiator();

  /// One iteration, complete when it returns.
  void operate(int turn);

 private:
  void put();
  void device();
  void proxy();
  void start(const std::function<void()>& job);
  void await(controlpath::Actor& actor);

  Engine& engine_;
  const Path path_;
  Puts* const puts_;
  const std::function<void(int)> kernel_;
  const std::function<void()> device_job_, proxy_job_;
  int turn_ = 0;
  std::uint64_t number_ = 0;  // of the exchange
  std::atomic<bool> request_{false}, answer_{false};
  std::optional<controlpath::Actor> proxy_;
  std::optional<controlpath::Actor> device_;  // ends first
};

}  // namespace collbench::stencil
