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
#include "emulated/softntb/endpoints.h"

namespace collbench::softntb {

/// A thread that calls a handler whenever the handler's file descriptor is readable. Handlers must not block.
class Service {
 public:
  using Handler = std::function<void()>;
  /// Adds a handler.
  /// @param fd file descriptor to watch; stays owned by the caller
  /// @returns an id for remove(); 0 if the kernel refuses, for example because no descriptors are left
  std::uint64_t add(int fd, Handler handler);
  /// Removes a handler. When this returns, the handler does not run and will not run again. Exception: called
  /// from within this handler, it does not wait for it. Call it before closing `fd`, and without any lock
  /// that the handler takes.
  void remove(std::uint64_t id, int fd);
  /// Waits until the handler that is running now, whichever it is, has ended. Called from within a handler it
  /// returns at once.
  void settle();
  /// Ends the thread if no handler is registered.
  void stop_if_idle();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable finished_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Handler>> handlers_;
  std::uint64_t next_id_ = 1;
  std::uint64_t running_ = 0;
  bool stopping_ = false;
  FileDescriptor epoll_;
  FileDescriptor wake_;
  std::thread thread_;
};

/// A thread that performs several tasks (repeated calls of a step function) in turn.
class Worker {
 public:
  /// Adds a task: the thread calls `step` repeatedly, in turn with other tasks, until it returns true.
  /// @param owner any address that identifies the task for drop()
  void post(const void* owner, std::function<bool()> step);
  /// Removes all tasks of this owner. When this returns, none of them runs. Exception: called from within one
  /// of these tasks, it does not wait.
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

/// Returns the threads of this process. They are never destroyed; a forked child gets new ones.
Threads& threads();

}  // namespace collbench::softntb
