#include "workloads/stencil/initiator.h"

#include "core/spin.h"

namespace collbench::stencil {
namespace {

constexpr int kActors = 3;  // host, device, proxy
constexpr std::uint32_t kLooksPerStop = 256;

template <class Done>
void await_until(const Engine& engine, Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_for(kActors)); !done(); spinner.step())
    if (++looks % kLooksPerStop == 0) engine.stop_if_cancelled();
}

}  // namespace

Initiator::Initiator(Engine& engine, Path path, Puts* puts, std::function<void(int)> kernel)
    : engine_(engine),
      path_(path),
      puts_(puts),
      kernel_(std::move(kernel)),
      device_job_([this] { device(); }),
      proxy_job_([this] { proxy(); }) {
  if (path_ == Path::kProxy && puts_ != nullptr) proxy_.emplace(spins_for(kActors));
  device_.emplace(spins_for(kActors));
}

Initiator::~Initiator() = default;

void Initiator::await(controlpath::Actor& actor) {
  await_until(engine_, [&] { return actor.is_done(); });
  actor.rethrow();
}

void Initiator::put() {
  puts_->write(turn_, number_);
  puts_->ring();
  puts_->await_completion();
}

void Initiator::operate(int turn) {
  turn_ = turn;
  ++number_;
  if (puts_ != nullptr) {
    if (path_ == Path::kHost) {
      put();
      puts_->await_halos(turn_, number_);
      if (!kernel_) return;
    }
    // Registered beforehand: the device has only to ring.
    if (path_ == Path::kStream || path_ == Path::kTriggered) puts_->write(turn_, number_);
    if (proxy_) proxy_->start(proxy_job_);
  }
  device_->start(device_job_);
  await(*device_);
  if (proxy_) await(*proxy_);
}

void Initiator::device() {
  if (puts_ != nullptr && path_ != Path::kHost) {
    if (path_ == Path::kProxy) {
      request_.store(true, std::memory_order_release);
      await_until(engine_, [&] { return answer_.exchange(false, std::memory_order_acq_rel); });
    } else if (path_ == Path::kKernel) {
      put();
    } else {
      puts_->ring();
      puts_->await_completion();
    }
    puts_->await_halos(turn_, number_);
  }
  if (kernel_) kernel_(turn_);
}

void Initiator::proxy() {
  await_until(engine_, [&] { return request_.exchange(false, std::memory_order_acq_rel); });
  try {
    put();
  } catch (...) {
    answer_.store(true, std::memory_order_release);  // the kernel must not wait for ever
    throw;
  }
  answer_.store(true, std::memory_order_release);
}

}  // namespace collbench::stencil
