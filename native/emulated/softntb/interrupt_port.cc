#include "emulated/softntb/interrupt_port.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/clock.h"
#include "emulated/softntb/threads.h"

namespace collbench::softntb {
namespace {

// First byte of every message, so that an empty data interrupt differs from the end of a connection.
constexpr std::byte kMarker{0x1};
constexpr unsigned kNumbers = 65'536;

bool watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

InterruptPort::~InterruptPort() { close(); }

sci_error_t InterruptPort::open(const Session& session, unsigned adapter, Endpoint kind, bool fixed,
                                unsigned* number, Callback callback) {
  static std::atomic<unsigned> next{1};
  const unsigned node = node_of_adapter(adapter);
  for (unsigned attempt = 0; attempt < kNumbers && !listener_; ++attempt) {
    const unsigned candidate = fixed ? *number : next.fetch_add(1) % kNumbers;
    listener_ = listen_on(endpoint_name(session.fabric, node, kind, candidate));
    if (listener_) {
      *number = candidate;
    } else if (errno != EADDRINUSE) {
      return SCI_ERR_SYSTEM;
    } else if (fixed) {
      return SCI_ERR_INTNO_USED;
    }
  }
  if (!listener_) return SCI_ERR_NOSPC;
  callback_ = std::move(callback);
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  cancel_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !cancel_ || !watch(epoll_.get(), listener_.get()) || !watch(epoll_.get(), cancel_.get())) {
    return SCI_ERR_SYSTEM;
  }
  if (!callback_) return SCI_ERR_OK;
  service_id_ = threads().service.add(epoll_.get(), [this] { dispatch(); });
  return service_id_ == 0 ? SCI_ERR_SYSTEM : SCI_ERR_OK;
}

int InterruptPort::take(void* data, std::size_t capacity, std::size_t* length) {
  const std::lock_guard lock(mutex_);
  for (;;) {
    epoll_event event;
    // Level-triggered with one event at a time, so the kernel returns ready senders in turn.
    if (epoll_wait(epoll_.get(), &event, 1, 0) != 1 || event.data.fd == cancel_.get()) return 0;
    if (event.data.fd == listener_.get()) {
      FileDescriptor fd = accept_from(listener_.get());
      if (!fd || !watch(epoll_.get(), fd.get())) continue;
      const int key = fd.get();
      senders_[key] = std::move(fd);
      continue;
    }
    std::byte message[kDataInterruptBytes + 1];
    const ssize_t got = recv(event.data.fd, message, sizeof message, MSG_DONTWAIT | MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) {
      senders_.erase(event.data.fd);  // closing removes it from the epoll set
      continue;
    }
    *length = static_cast<std::size_t>(got) - 1;
    if (*length > capacity) return -1;
    recv(event.data.fd, message, sizeof message, MSG_DONTWAIT);
    if (*length > 0) std::memcpy(data, message + 1, *length);
    return 1;
  }
}

sci_error_t InterruptPort::wait(void* data, std::size_t capacity, std::size_t* length, unsigned timeout_ms) {
  if (callback_) return SCI_ERR_ILLEGAL_OPERATION;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return SCI_ERR_CANCELLED;
    ++waiters_;
  }
  const std::int64_t deadline = now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  sci_error_t status = SCI_ERR_TIMEOUT;
  for (;;) {
    if (closed_.load()) {
      status = SCI_ERR_CANCELLED;
      break;
    }
    const int taken = take(data, capacity, length);
    if (taken != 0) {
      status = taken > 0 ? SCI_ERR_OK : SCI_ERR_OVERFLOW;
      break;
    }
    int wait_ms = -1;
    if (timeout_ms != SCI_INFINITE_TIMEOUT) {
      const std::int64_t left_ns = deadline - now_ns();
      if (left_ns <= 0) break;
      wait_ms = static_cast<int>(std::min<std::int64_t>((left_ns + 999'999) / 1'000'000, 1 << 30));
    }
    wait_readable(epoll_.get(), wait_ms);
  }
  const std::lock_guard lock(mutex_);
  --waiters_;
  left_.notify_all();
  return status;
}

void InterruptPort::discard_pending() {
  std::byte message[kDataInterruptBytes];
  std::size_t length = 0;
  while (take(message, sizeof message, &length) > 0) {
  }
}

void InterruptPort::dispatch() {
  std::vector<std::byte> message(kDataInterruptBytes);
  std::size_t length = 0;
  while (take(message.data(), message.size(), &length) > 0) {
    threads().callbacks.post(
        this,
        [this, data = std::vector(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(length))] {
          if (!closed_.load() && !silent_.load() && callback_(data) == SCI_CALLBACK_CANCEL)
            silent_.store(true);
          return true;
        });
  }
}

void InterruptPort::close() {
  if (!epoll_ || closed_.exchange(true)) return;
  threads().service.remove(service_id_, epoll_.get());
  const std::uint64_t one = 1;
  if (cancel_) {
    [[maybe_unused]] const ssize_t written = write(cancel_.get(), &one, sizeof one);
  }
  {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return waiters_ == 0; });
  }
  threads().callbacks.drop(this);
}

}  // namespace collbench::softntb
