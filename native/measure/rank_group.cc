#include "measure/rank_group.h"

#include "core/error.h"

namespace collbench {

template <class Exchange>
void RankGroup::exchange_between_hosts(Exchange exchange) {
  try {
    exchange();
  } catch (const Error&) {
    shared_state_.abort.store(1);
    throw;
  }
}

void RankGroup::store_clock() noexcept {
  const ClockReading reading = link_->clock();
  shared_state_.clock_offset_ns.store(reading.offset_ns, std::memory_order_relaxed);
  shared_state_.clock_uncertainty_ns.store(reading.uncertainty_ns, std::memory_order_relaxed);
}

void RankGroup::barrier() {
  if (!spans_hosts_) return pass_barrier(shared_state_);
  if (link_ == nullptr) return join_barrier(shared_state_);
  exchange_between_hosts([&] {
    gather_barrier(shared_state_, [this] { link_->check_connections(); });
    shared_state_.decision.store(
        link_->barrier(decision(), shared_state_.late.load(std::memory_order_relaxed)),
        std::memory_order_relaxed);
    store_clock();
  });
  release_barrier(shared_state_);
}

void RankGroup::synchronise() {
  if (link_ == nullptr) return;
  exchange_between_hosts([&] { link_->synchronise(); });
}

std::uint32_t RankGroup::late_ranks() const noexcept {
  const std::uint32_t here = shared_state_.late.load(std::memory_order_relaxed);
  return link_ == nullptr ? here : here + link_->others_late();
}

void RankGroup::publish_start(std::int64_t start_ns) noexcept {
  shared_state_.window_start_ns.store(start_ns, std::memory_order_relaxed);
  shared_state_.starts.fetch_add(1, std::memory_order_release);
}

void RankGroup::announce(std::int64_t start_ns) {
  publish_start(start_ns);
  if (link_ == nullptr) return;
  exchange_between_hosts([&] { link_->announce(start_ns); });
}

void RankGroup::pass_on_start() {
  if (link_ == nullptr) return;
  exchange_between_hosts([&] {
    const std::int64_t root_ns = link_->await_start();
    store_clock();
    publish_start(root_ns - clock().offset_ns);
  });
}

}  // namespace collbench
