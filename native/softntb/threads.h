#pragma once
// The library's own threads, started when first needed: one answers sockets (Service), one runs the caller's
// callbacks, so that a callback which blocks does not keep peers waiting; a few copy (the engines).
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

/// Runs a handler on its thread whenever a file descriptor can be read. Handlers must not block.
class Service {
 public:
  using Handler = std::function<void()>;
  /// @returns an id for remove(); 0 when the kernel refused (out of descriptors). The caller keeps owning
  /// `fd`.
  std::uint64_t add(int fd, Handler handler);
  /// Afterwards the handler neither runs nor will run, also if it took itself out; called from a handler
  /// it does not wait for that handler. Must come before `fd` is closed, and without any lock that the
  /// handler takes.
  void remove(std::uint64_t id, int fd);
  /// Waits until the handler that runs now, whosever it is, has ended. From a handler: returns at once.
  void settle();
  /// Ends the thread when nothing is registered.
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

/// Runs work in turn on one thread.
class Worker {
 public:
  /// `step` runs, and again after what others have posted, until it returns true.
  void post(const void* owner, std::function<bool()> step);
  /// Afterwards no work of this owner runs or will run; called from its work it does not wait.
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

/// The process's threads; a forked child gets its own.
Threads& threads();

}  // namespace collbench::softntb
