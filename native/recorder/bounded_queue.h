#pragma once
// A bounded queue for any number of threads that never waits (after D. Vyukov's bounded MPMC queue): a
// sequence number in each cell shows which use it is ready for.
#include <atomic>
#include <cstddef>
#include <memory>

namespace collbench::recorder {

template <typename T>
class BoundedQueue {
 public:
  /// Allocates the queue; nothing is allocated later.
  /// @param size number of values that fit; a power of two
  explicit BoundedQueue(std::size_t size) : cells_(new Cell[size]), mask_(size - 1) {
    for (std::size_t i = 0; i < size; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  /// Appends a value; any thread may call it. False if the queue is full; then the value is not stored.
  bool push(const T& value) noexcept {
    std::size_t at = in_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[at & mask_];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at) {
        if (!in_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) continue;
        cell.value = value;
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
      if (turn < at) return false;
      at = in_.load(std::memory_order_relaxed);
    }
  }

  /// Removes the oldest value. False if the queue is empty, or another thread is still storing that value.
  /// Only one thread at a time may call it.
  bool pop(T& value) noexcept {
    Cell& cell = cells_[out_ & mask_];
    if (cell.turn.load(std::memory_order_acquire) != out_ + 1) return false;
    value = cell.value;
    cell.turn.store(out_ + mask_ + 1, std::memory_order_release);
    ++out_;
    return true;
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    T value;
  };
  std::unique_ptr<Cell[]> cells_;
  const std::size_t mask_;
  alignas(64) std::atomic<std::size_t> in_{0};
  alignas(64) std::size_t out_ = 0;
};

}  // namespace collbench::recorder
