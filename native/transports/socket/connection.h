#pragma once
// One logical connection: its TCP streams, the peer's name and the traffic counters.
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "transports/socket/address.h"

namespace collbench::socket {

/// Written by the thread that uses the comm, read by any thread; so atomics, but no locked adds.
struct ConnectionCounters {
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_received{0};
  std::atomic<std::uint64_t> messages_sent{0};
  std::atomic<std::uint64_t> messages_received{0};

  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

struct Connection {
  std::vector<FileDescriptor> streams;
  std::string peer;  // "127.0.0.1:4711"
  std::shared_ptr<ConnectionCounters> counters;
};

/// Messages in flight per connection and direction; isend and irecv return nullptr beyond.
inline constexpr std::uint32_t kMaxRequests = 256;

/// Most bytes that one system call moves. Small enough that the sender's data is still in cache when a
/// receiver on the same machine reads it; large enough to outweigh the call (socket/README.md has the
/// figures).
inline constexpr std::size_t kChunkBytes = std::size_t{512} << 10;

/// A message up to this size is copied next to its header, because the copy is cheaper than a second iovec.
inline constexpr std::size_t kInlineBytes = 1024;
/// Read-ahead for a message that may be large. Bytes read ahead are copied once more, so it is short.
inline constexpr std::size_t kFirstReadBytes = 4096;

/// Result of one non-blocking send or recv: bytes moved, 0 = not now. @throws Error(kConnectionLost) naming
/// the peer
inline std::size_t moved_bytes_or_throw(ssize_t result, const std::string& peer, bool receiving) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
  if (result == 0 && receiving)
    throw Error(ErrorCode::kConnectionLost, "socket: " + peer + " closed the connection");
  if (result == 0) return 0;
  throw system_error(ErrorCode::kConnectionLost, "socket: connection with " + peer + " is lost", errno);
}

/// Fixed first-in first-out queue of kMaxRequests pointers.
template <typename T>
class RequestQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] T* front() const noexcept { return slots_[head_ % kMaxRequests]; }
  void push(T* request) noexcept { slots_[tail_++ % kMaxRequests] = request; }
  void pop() noexcept { ++head_; }

 private:
  static_assert((kMaxRequests & (kMaxRequests - 1)) == 0, "head and tail wrap around at 2^32");
  T* slots_[kMaxRequests] = {};
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

/// kMaxRequests requests made once; take() and give() never allocate.
template <typename T>
class RequestPool {
 public:
  RequestPool() : requests_(new T[kMaxRequests]), free_(new T*[kMaxRequests]) {
    for (std::uint32_t i = 0; i < kMaxRequests; ++i) free_[i] = &requests_[kMaxRequests - 1 - i];
  }
  T* take() noexcept { return count_ == 0 ? nullptr : free_[--count_]; }
  void give(T* request) noexcept { free_[count_++] = request; }

 private:
  std::unique_ptr<T[]> requests_;
  std::unique_ptr<T*[]> free_;
  std::uint32_t count_ = kMaxRequests;
};

}  // namespace collbench::socket
