#pragma once
// One logical connection: its TCP streams, the peer's name and the traffic counters.
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "transports/counters.h"
#include "transports/socket/address.h"

namespace collbench::socket {

/// An established connection between two ranks: its TCP streams, the peer's address for error texts, and the
/// traffic counters. The comm that uses it owns it.
struct Connection {
  std::vector<FileDescriptor> streams;
  std::string peer;  // "127.0.0.1:4711"
  std::shared_ptr<CommCounters> counters;
};

/// Maximum number of unfinished messages per connection and direction. When it is reached, isend and irecv
/// return nullptr.
inline constexpr std::uint32_t kMaxRequests = 256;

/// Maximum number of bytes per send() or recv(). It is small enough that the sender's data is still in cache
/// when a receiver on the same machine reads it. It is large enough that the cost of the system call does not
/// matter (socket/README.md has the figures).
inline constexpr std::size_t kChunkBytes = std::size_t{512} << 10;

/// Maximum size of a message that the sender copies behind its header to send both together. For so few bytes
/// the copy costs less than a second iovec.
inline constexpr std::size_t kInlineBytes = 1024;
/// Maximum number of bytes that the receiver reads into its own buffer when a large message may follow. It is
/// small because those bytes must be copied once more, to the receive buffer.
inline constexpr std::size_t kFirstReadBytes = 4096;

/// Interprets the result of a non-blocking send() or recv() with its errno.
/// @returns number of bytes moved; 0 = nothing can be moved now
/// @param peer the peer's address, for the error's text
/// @param receiving true after recv(), for which the result 0 means that the peer closed
/// @throws Error(kConnectionLost) if the connection has failed or the peer has closed it
inline std::size_t moved_bytes_or_throw(ssize_t result, const std::string& peer, bool receiving) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
  if (result == 0 && receiving)
    throw Error(ErrorCode::kConnectionLost, "socket: " + peer + " closed the connection");
  if (result == 0) return 0;
  throw system_error(ErrorCode::kConnectionLost, "socket: connection with " + peer + " is lost", errno);
}

/// First-in first-out queue of at most kMaxRequests unfinished sends or receives, which it does not own.
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

/// Pool of kMaxRequests request objects, allocated once. take() returns an unused one, or nullptr if all are
/// in use; give() returns it to the pool.
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
