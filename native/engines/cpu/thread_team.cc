#include "engines/cpu/thread_team.h"

#include <utility>

#include "core/spin.h"

namespace collbench::cpu {
namespace {

/// Waits until the word differs from `was`. It polls `spins` times before it sleeps, because the next
/// operation often follows soon.
template <class T>
void wait_while(const std::atomic<T>& word, T was, std::uint32_t spins) {
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (word.load(std::memory_order_acquire) != was) return;
    cpu_relax();
  }
  word.wait(was, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(int members, std::uint32_t spins) : spins_(spins) {
  for (int i = 1; i < members; ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
  ends_ = true;
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(int parts, const std::function<void(int)>& work) {
  parts_ = parts;
  work_ = &work;
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_all();
  do_part(0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire))
    wait_while(busy_, left, spins_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadTeam::do_part(int index) noexcept {
  try {
    (*work_)(index);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

void ThreadTeam::serve(int index) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(turn_, seen, spins_);
    if (ends_) return;
    if (index < parts_) do_part(index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace collbench::cpu
