#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>

#include "softcard/local_socket.h"

namespace collbench::softcard {

/// Memory that processes share: a sealed memfd and at most one mapping of all of it in this process.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Takes the memory now, so that a machine without room says so here. False with errno set.
  bool create(std::size_t bytes);
  /// Takes over what a peer sent. False unless it is sealed memory of exactly this size.
  bool adopt(Fd fd, std::size_t bytes);
  /// The mapping, made at the first call; nullptr when the kernel refuses. Threads: any.
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

/// Sizes are rounded up to whole pages, as the driver allocates pages.
std::size_t whole_pages(std::size_t bytes) noexcept;

}  // namespace collbench::softcard
