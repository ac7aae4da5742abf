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

/// kRank: there is no device; the rank's thread does everything.
enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel, kRank };

/// Parts of one iteration; empty or null = the iteration does not have that part.
struct Iteration {
  std::function<void(int turn)> exchange;  // Exchange by the host, complete when it returns.
  HaloPuts* puts = nullptr;  // Exchange for the paths in which the device or the proxy starts it.
  std::function<void(int turn)> update;
};

/// Returns the number of threads per rank on this path. @param updates whether the iteration has an update
int threads_of(Path path, bool updates) noexcept;

class Initiator {
 public:
  /// @param path not kRank; all but kHost need puts
  Initiator(Engine& engine, Path path, Iteration iteration);
  ~Initiator();

  /// Runs one iteration; it is complete when this returns.
  void operate(int turn);

 private:
  void start_device();
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
