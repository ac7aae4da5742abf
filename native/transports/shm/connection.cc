#include "transports/shm/connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "core/error.h"

namespace collbench::shm {
namespace {

constexpr std::uint32_t kPollsPerCheck = 256;
constexpr std::int64_t kIntervalNs = 20'000'000;

}  // namespace

ShmConnection::ShmConnection(std::unique_ptr<ipc::SharedMemory> memory, FileDescriptor line, pid_t peer,
                             CopyMode copy_mode, SleepPolicy sleep_policy)
    : memory_(std::move(memory)),
      socket_(std::move(line)),
      channel_(reinterpret_cast<SharedChannel*>(memory_->map())),
      peer_(peer),
      copy_mode_(copy_mode),
      sleep_policy_(sleep_policy) {
  if (channel_ == nullptr)
    throw system_error(ErrorCode::kUnavailable, "shm: cannot map the memory shared with a rank", errno);
}

// The two ends change the word by read-modify-write, so one exchange comes first. Either this end sees that
// the peer sleeps, or the peer checks again and sees what this end published.
void ShmConnection::send_wakeup(std::atomic<std::uint32_t>& sleeps) const {
  if (sleeps.exchange(0, std::memory_order_acq_rel) == 0) return;
  const char bell = 1;
  ipc::send_message(socket_.get(), &bell, 1);  // if the queue is full, the peer wakes anyway
}

void ShmConnection::add_to_poll(std::vector<pollfd>& set, std::atomic<std::uint32_t>& sleeps,
                                const std::function<bool()>& ready) {
  if (!sleep_policy_.own) {  // this end declared that it never sleeps, so the peer would not wake it
    set.push_back({socket_.get(), POLLIN | POLLOUT, 0});
    return;
  }
  sleeps.exchange(1, std::memory_order_acq_rel);
  slept_ = true;
  // If something is there already, POLLOUT makes poll() return at once: the socket is always writable.
  set.push_back({socket_.get(), static_cast<short>(ready() ? POLLIN | POLLOUT : POLLIN), 0});
}

void ShmConnection::clear_wakeup() {
  if (!slept_) return;
  slept_ = false;
  char bell = 0;
  while (ipc::receive_message(socket_.get(), &bell, 1) > 0) {
  }
}

bool ShmConnection::is_check_due() noexcept {
  if (++polls_ % kPollsPerCheck != 0) return false;
  const std::int64_t now = now_ns();
  if (now - last_check_ns_ < kIntervalNs) return false;
  last_check_ns_ = now;
  return true;
}

bool ShmConnection::has_peer_left() const {
  pollfd line{socket_.get(), POLLRDHUP, 0};
  return poll(&line, 1, 0) > 0 && (line.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void ShmConnection::throw_lost() const {
  throw Error(ErrorCode::kConnectionLost,
              "shm: process " + std::to_string(peer_) + " has closed the connection or is gone");
}

}  // namespace collbench::shm
