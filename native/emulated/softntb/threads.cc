#include "emulated/softntb/threads.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

#include "core/spin.h"

namespace collbench::softntb {

std::uint64_t Service::add(int fd, Handler handler) {
  const std::lock_guard lock(mutex_);
  if (!epoll_) {
    epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
    wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event wake{};
    wake.events = EPOLLIN;
    if (!epoll_ || !wake_ || epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &wake) != 0) {
      epoll_.reset();
      wake_.reset();
      return 0;
    }
  }
  const std::uint64_t id = next_id_++;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  handlers_[id] = std::make_shared<Handler>(std::move(handler));
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    handlers_.erase(id);
    return 0;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  return id;
}

void Service::remove(std::uint64_t id, int fd) {
  std::unique_lock lock(mutex_);
  if (id == 0) return;
  if (handlers_.erase(id) != 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  if (std::this_thread::get_id() == thread_.get_id()) return;
  // Waits even if the handler removed itself: it may still be running.
  finished_.wait(lock, [&] { return running_ != id; });
}

void Service::settle() {
  std::unique_lock lock(mutex_);
  if (std::this_thread::get_id() == thread_.get_id()) return;
  const std::uint64_t running = running_;
  if (running != 0) finished_.wait(lock, [&] { return running_ != running; });
}

void Service::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    epoll_event event;
    const int ready = epoll_wait(epoll_.get(), &event, 1, -1);
    lock.lock();
    if (ready != 1) continue;
    const auto found = handlers_.find(event.data.u64);
    if (found == handlers_.end()) continue;
    const std::shared_ptr<Handler> handler = found->second;
    running_ = event.data.u64;
    lock.unlock();
    (*handler)();
    lock.lock();
    running_ = 0;
    finished_.notify_all();
  }
}

void Service::stop_if_idle() {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() || !handlers_.empty() || std::this_thread::get_id() == thread_.get_id()) return;
    stopping_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
    ended = std::move(thread_);
  }
  ended.join();
  const std::lock_guard lock(mutex_);
  stopping_ = false;
  epoll_.reset();
  wake_.reset();
}

void Worker::post(const void* owner, std::function<bool()> step) {
  const std::lock_guard lock(mutex_);
  work_.emplace_back(owner, std::move(step));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

void Worker::drop(const void* owner) {
  std::unique_lock lock(mutex_);
  std::erase_if(work_, [&](const auto& entry) { return entry.first == owner; });
  if (running_ == owner) dropped_ = true;
  if (std::this_thread::get_id() == thread_.get_id()) return;
  changed_.wait(lock, [&] { return running_ != owner; });
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !work_.empty(); });
    if (stopping_) return;
    auto [owner, step] = std::move(work_.front());
    work_.pop_front();
    running_ = owner;
    dropped_ = false;
    lock.unlock();
    const bool finished = step();
    if (finished) step = nullptr;
    lock.lock();
    if (!finished && !dropped_) work_.emplace_back(owner, std::move(step));
    running_ = nullptr;
    changed_.notify_all();
    if (finished) continue;
    lock.unlock();
    yield_core();  // a paced transfer waits; other threads need the core
    lock.lock();
  }
}

void Worker::stop_if_idle() {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() || !work_.empty() || std::this_thread::get_id() == thread_.get_id()) return;
    stopping_ = true;
    changed_.notify_all();
    ended = std::move(thread_);
  }
  ended.join();
  const std::lock_guard lock(mutex_);
  stopping_ = false;
}

void Threads::stop_if_idle() {
  dma.stop_if_idle();
  engines.stop_if_idle();
  service.stop_if_idle();
  callbacks.stop_if_idle();
}

namespace {
std::atomic<Threads*> current{nullptr};
}  // namespace

Threads& threads() {
  Threads* existing = current.load(std::memory_order_acquire);
  if (existing != nullptr) return *existing;
  // Never destroyed: callbacks may still arrive while the process runs its destructors.
  auto* fresh = new Threads;
  if (current.compare_exchange_strong(existing, fresh, std::memory_order_acq_rel)) {
    static const int once = pthread_atfork(nullptr, nullptr, [] { current.store(new Threads); });
    static_cast<void>(once);
    return *fresh;
  }
  delete fresh;
  return *existing;
}

}  // namespace collbench::softntb
