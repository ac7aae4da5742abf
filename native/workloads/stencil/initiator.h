#pragma once
// Who does what in one iteration, with threads as host, device and proxy. The update is a kernel of the
// device, which the host starts.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "workloads/controlpath/actor.h"
#include "workloads/stencil/puts.h"

namespace collbench::stencil {

/// kRank: no device, the rank's one thread does all of it.
enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel, kRank };

/// Parts of one iteration; empty or null: it does not have that part.
struct Iteration {
  std::function<void(int turn)> exchange;  // by the host, complete when it returns
  Puts* puts = nullptr;                    // the exchange, for all who start it in another way
  std::function<void(int turn)> update;
};

/// Threads of a rank on that path. @param updates the iteration has an update
int threads_of(Path path, bool updates) noexcept;

class Initiator {
 public:
  /// @param path not kRank; only kHost does without puts
  Initiator(Engine& engine, Path path, Iteration iteration);
  ~Initiator();

  /// One iteration, complete when it returns.
  void operate(int turn);

 private:
  void start_device();
  void device();
  void proxy();
  template <class Done>
  void await_until(Done done);
  void await(controlpath::Actor& actor);

  Engine& engine_;
  const Path path_;
  const Iteration iteration_;
  const std::uint32_t spins_;
  const std::function<void()> device_job_, proxy_job_;
  int turn_ = 0;
  std::atomic<bool> request_{false}, answer_{false};
  std::optional<controlpath::Actor> proxy_;
  std::optional<controlpath::Actor> device_;  // ends first
};

}  // namespace collbench::stencil
