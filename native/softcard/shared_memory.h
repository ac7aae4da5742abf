#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>

#include "softcard/local_socket.h"

namespace collbench::softcard {

/// Memory that processes share: a sealed memfd, mapped at most once and as a whole in this process.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Allocates the memory at once, so that a machine without room fails here. False with errno set on
  /// failure.
  bool create(std::size_t bytes);
  /// Takes over memory received from a peer. False unless it is sealed and has exactly this size.
  bool adopt(Fd fd, std::size_t bytes);
  /// The mapping, made at the first call; nullptr if the kernel refuses. Thread-safe.
  std::byte* map() {
    std::byte* base = base_.load(std::memory_order_acquire);
    return base != nullptr ? base : map_now();
  }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  std::byte* map_now();
  Fd fd_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::atomic<std::byte*> base_{nullptr};
};

/// Rounds up to whole pages, because the driver allocates pages.
std::size_t whole_pages(std::size_t bytes) noexcept;

}  // namespace collbench::softcard
