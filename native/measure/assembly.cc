#include "measure/assembly.h"

#include "core/error.h"

namespace collbench {

template <class Talk>
void Assembly::over_link(Talk talk) {
  try {
    talk();
  } catch (const Error&) {
    board_.abort.store(1);
    throw;
  }
}

void Assembly::note_clock() noexcept {
  const ClockReading reading = link_->clock();
  board_.clock_offset_ns.store(reading.offset_ns, std::memory_order_relaxed);
  board_.clock_uncertainty_ns.store(reading.uncertainty_ns, std::memory_order_relaxed);
}

void Assembly::barrier() {
  if (!spans_hosts_) return board_barrier(board_);
  if (link_ == nullptr) return board_join(board_);
  over_link([&] {
    board_gather(board_, [this] { link_->look(); });
    board_.decision.store(link_->barrier(decision(), board_.late.load(std::memory_order_relaxed)),
                          std::memory_order_relaxed);
    note_clock();
  });
  board_release(board_);
}

void Assembly::synchronise() {
  if (link_ == nullptr) return;
  over_link([&] { link_->synchronise(); });
}

std::uint32_t Assembly::late() const noexcept {
  const std::uint32_t here = board_.late.load(std::memory_order_relaxed);
  return link_ == nullptr ? here : here + link_->others_late();
}

void Assembly::show_start(std::int64_t start_ns) noexcept {
  board_.window_start_ns.store(start_ns, std::memory_order_relaxed);
  board_.starts.fetch_add(1, std::memory_order_release);
}

void Assembly::announce(std::int64_t start_ns) {
  show_start(start_ns);
  if (link_ == nullptr) return;
  over_link([&] { link_->announce(start_ns); });
}

void Assembly::pass_on_start() {
  if (link_ == nullptr) return;
  over_link([&] {
    const std::int64_t root_ns = link_->await_start();
    const std::int64_t offset_ns = link_->clock().offset_ns;
    board_.clock_offset_ns.store(offset_ns, std::memory_order_relaxed);
    show_start(root_ns - offset_ns);
  });
}

}  // namespace collbench
