#include "workloads/stencil/initiator.h"

#include "core/spin.h"

namespace collbench::stencil {
namespace {

constexpr std::uint32_t kLooksPerStop = 256;

}  // namespace

int threads_of(Path path, bool updates) noexcept {
  switch (path) {
    case Path::kRank:
      return 1;
    case Path::kHost:
      return updates ? 2 : 1;
    case Path::kProxy:
      return 3;
    default:
      return 2;
  }
}

StencilInitiator::StencilInitiator(Engine& engine, Path path, Iteration iteration)
    : engine_(engine),
      path_(path),
      iteration_(std::move(iteration)),
      spins_(engine.spins(threads_of(path, iteration_.update != nullptr))),
      device_job_([this] { device(); }),
      proxy_job_([this] { proxy(); }) {
  if (path_ == Path::kProxy && iteration_.puts != nullptr) proxy_.emplace(spins_);
  if (path_ != Path::kHost || iteration_.update) device_.emplace(spins_);
}

StencilInitiator::~StencilInitiator() = default;

template <class Done>
void StencilInitiator::await_until(Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !done(); spinner.step())
    if (++looks % kLooksPerStop == 0) engine_.stop_if_cancelled();
}

void StencilInitiator::await(controlpath::HelperThread& actor) {
  await_until([&] { return actor.is_done(); });
  actor.rethrow();
}

void StencilInitiator::operate(int turn) {
  turn_ = turn;
  if (path_ == Path::kHost && iteration_.exchange) iteration_.exchange(turn);
  // Entries are written beforehand, so the device has only to ring.
  if (iteration_.puts != nullptr && (path_ == Path::kStream || path_ == Path::kTriggered))
    iteration_.puts->write(turn);
  if (proxy_) proxy_->start(proxy_job_);
  if (device_) {
    device_->start(device_job_);
    await(*device_);
  }
  if (proxy_) await(*proxy_);
}

void StencilInitiator::device() {
  HaloPuts* const puts = path_ == Path::kHost ? nullptr : iteration_.puts;
  if (puts != nullptr) {
    if (path_ == Path::kProxy) {
      request_.store(true, std::memory_order_release);
      await_until([&] { return answer_.exchange(false, std::memory_order_acq_rel); });
    } else if (path_ == Path::kKernel) {
      puts->put(turn_);
    } else {
      puts->ring();
      puts->await_completion();
    }
    puts->await_halos(turn_);
  }
  if (iteration_.update) iteration_.update(turn_);
}

void StencilInitiator::proxy() {
  await_until([&] { return request_.exchange(false, std::memory_order_acq_rel); });
  try {
    iteration_.puts->put(turn_);
  } catch (...) {
    answer_.store(true, std::memory_order_release);  // Otherwise the kernel would wait for ever.
    throw;
  }
  answer_.store(true, std::memory_order_release);
}

}  // namespace collbench::stencil
