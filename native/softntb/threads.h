#pragma once
// The library's own threads, started when first needed. One serves sockets (Service). One runs the caller's
// callbacks, so that a blocking callback does not delay peers. A few copy data (the engines).
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "core/worker_pool.h"
#include "softntb/endpoints.h"

namespace collbench::softntb {

/// Runs a handler on its thread whenever a file descriptor is readable. Handlers must not block.
class Service {
 public:
  using Handler = std::function<void()>;
  /// @param fd stays owned by the caller
  /// @returns an id for remove(); 0 if the kernel refused (out of descriptors)
  std::uint64_t add(int fd, Handler handler);
  /// Removes a handler. The handler does not run after this call, even if it removed itself. Called from a
  /// handler it does not wait for that handler. Call it before closing `fd` and without any lock that the
  /// handler takes.
  void remove(std::uint64_t id, int fd);
  /// Waits until the running handler has ended, whichever it is. Called from a handler it returns at once.
  void settle();
  /// Ends the thread if nothing is registered.
  void stop_if_idle();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable finished_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Handler>> handlers_;
  std::uint64_t next_id_ = 1;
  std::uint64_t running_ = 0;
  bool stopping_ = false;
  Fd epoll_;
  Fd wake_;
  std::thread thread_;
};

/// Runs pieces of work in turn on one thread.
class Worker {
 public:
  /// Runs `step` again and again, alternating with other posted work, until it returns true.
  void post(const void* owner, std::function<bool()> step);
  /// Drops all work of this owner; none runs after this call. Called from the owner's work it does not wait.
  void drop(const void* owner);
  void stop_if_idle();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<const void*, std::function<bool()>>> work_;
  const void* running_ = nullptr;
  bool dropped_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

struct Threads {
  Service service;
  Worker callbacks;
  Worker dma;  // moves the DMA transfers whose caller asked for a callback
  WorkerPool engines;
  void stop_if_idle();
};

/// The threads of this process; a forked child gets its own.
Threads& threads();

}  // namespace collbench::softntb
