#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>

#include "core/local_socket.h"

namespace collbench::ipc {

/// Memory that processes share: a memfd whose size cannot be changed (sealed). In this process it is mapped
/// at most once, as a whole.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Creates the memory, in whole pages. All pages are allocated now, so that a machine without enough memory
  /// fails here and not at a later access. False with errno set on failure.
  bool create(std::size_t bytes);
  /// Takes over memory whose file descriptor was received from a peer. The memory must be sealed and have
  /// exactly the size `bytes` in whole pages. Otherwise returns false and closes the descriptor.
  bool adopt(FileDescriptor fd, std::size_t bytes);
  /// Returns the address of the memory in this process; the first call maps it. If the memory is not larger
  /// than 16 MiB, that call also loads all pages, so that later accesses cause no page fault. nullptr if the
  /// kernel refuses. Needs a successful create() or adopt(). Thread-safe. The destructor unmaps it.
  std::byte* map() {
    std::byte* base = base_.load(std::memory_order_acquire);
    return base != nullptr ? base : map_now();
  }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  std::byte* map_now();
  FileDescriptor fd_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::atomic<std::byte*> base_{nullptr};
};

/// Rounds a size in bytes up to a multiple of the page size.
std::size_t whole_pages(std::size_t bytes) noexcept;

}  // namespace collbench::ipc
