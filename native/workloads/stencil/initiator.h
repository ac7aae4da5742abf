#pragma once
// Divides one iteration among threads that play host, device and proxy. The update is a kernel of the device,
// which the host starts.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "workloads/controlpath/helper_thread.h"
#include "workloads/stencil/halo_puts.h"

namespace collbench::stencil {

/// The thread or device that starts the exchange of an iteration. kHost: the host's thread, between kernels.
/// kStream: the device's stream. kProxy: a proxy thread that a kernel wakes. kTriggered: a kernel rings for
/// entries that the host wrote. kKernel: a kernel writes and rings. kRank: there is no device, and the rank's
/// thread does everything.
enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel, kRank };

/// The two parts of one iteration of the stencil: exchange of edge points with the neighbours, and update of
/// the own points. A part that is empty or null is left out.
struct Iteration {
  std::function<void(int turn)> exchange;  // Exchange by the host, complete when it returns.
  HaloPuts* puts = nullptr;  // Exchange for the paths in which the device or the proxy starts it.
  std::function<void(int turn)> update;
};

/// Returns the number of threads that each rank uses on this path. @param updates true if the iteration has
/// an update
int threads_of(Path path, bool updates) noexcept;

class StencilInitiator {
 public:
  /// @param path any except kRank; all except kHost exchange through iteration.puts alone
  StencilInitiator(Engine& engine, Path path, Iteration iteration);
  ~StencilInitiator();

  /// Runs one iteration and returns when it is complete.
  /// @param turn 0 or 1, alternating: which of the two fields and of the two lanes per side is used
  void operate(int turn);

 private:
  void device();
  void proxy();
  template <class Done>
  void await_until(Done done);
  void await(controlpath::HelperThread& actor);

  Engine& engine_;
  const Path path_;
  const Iteration iteration_;
  const std::uint32_t spins_;
  const std::function<void()> device_job_, proxy_job_;
  int turn_ = 0;
  std::atomic<bool> request_{false}, answer_{false};
  std::optional<controlpath::HelperThread> proxy_;
  std::optional<controlpath::HelperThread> device_;  // Destroyed first.
};

}  // namespace collbench::stencil
