#include "workloads/controlpath/arrival.h"

#include <time.h>

#include <atomic>

#include "core/spin.h"
#include "workloads/controlpath/gpu_kernels.h"
#include "workloads/controlpath/mailbox.h"

namespace collbench::controlpath {
namespace {

const std::byte* number_of(const PutQueues& lanes, std::uint32_t queue) {
  const PutLoad& load = lanes.load();
  return lanes.target(queue, load.puts - 1) + load.bytes - sizeof(std::uint64_t);
}

class HostArrival final : public Arrival {
 public:
  HostArrival(Engine& engine, const PutQueues& lanes) : engine_(engine), lanes_(lanes) {}

  void await(std::uint64_t number) override {
    PutPort& port = engine_.put_port();
    std::uint32_t looks = 0;
    for (std::uint32_t q = 0; q < lanes_.load().queues; ++q) {
      auto* word = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(number_of(lanes_, q)));
      for (Spinner spinner(spins_for(4)); std::atomic_ref(*word).load(std::memory_order_acquire) < number;
           spinner.step()) {
        port.progress();
        if (++looks % 256 == 0) engine_.stop_if_cancelled();
      }
    }
  }

 private:
  Engine& engine_;
  const PutQueues& lanes_;
};

class GpuArrival final : public Arrival {
 public:
  GpuArrival(Engine& engine, const PutQueues& lanes) : engine_(engine), lanes_(lanes), box_(engine) {}

  void await(std::uint64_t number) override {
    if (engine_.device_port()->is_shared()) return poll_with_pauses(number);
    const PutLoad& load = lanes_.load();
    const ArrivalArgs args{
        load.queues,     load.puts, load.bytes, number, reinterpret_cast<u64>(lanes_.target(0, 0)),
        box_.on_device()};
    engine_.launch(arrival_kernel(), &args, 1);
    engine_.synchronize();
  }

 private:
  /// Polls from the host, with pauses. Used if the initiator's kernels run on the same GPU, because a waiting
  /// kernel would prevent them from running at the same time.
  void poll_with_pauses(std::uint64_t number) {
    constexpr timespec kNap{0, 100'000};
    for (std::uint32_t q = 0; q < lanes_.load().queues; ++q)
      for (std::uint64_t seen = 0; seen < number;) {
        engine_.download(&seen, number_of(lanes_, q), sizeof seen);
        if (seen >= number) break;
        nanosleep(&kNap, nullptr);
        engine_.stop_if_cancelled();
      }
  }

  Engine& engine_;
  const PutQueues& lanes_;
  SharedMailbox box_;
};

}  // namespace

std::unique_ptr<Arrival> make_arrival(Engine& engine, const PutQueues& lanes) {
  if (engine.device_port() == nullptr) return std::make_unique<HostArrival>(engine, lanes);
  return std::make_unique<GpuArrival>(engine, lanes);
}

}  // namespace collbench::controlpath
