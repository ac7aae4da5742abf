#include "transports/shm/end.h"

#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "core/error.h"

namespace collbench::shm {
namespace {

constexpr std::uint32_t kLooks = 256;
constexpr std::int64_t kIntervalNs = 20'000'000;

}  // namespace

End::End(std::unique_ptr<softcard::SharedMemory> memory, softcard::Fd line, pid_t peer, Way way,
         Sleepers sleepers)
    : memory_(std::move(memory)),
      line_(std::move(line)),
      channel_(reinterpret_cast<Channel*>(memory_->map())),
      peer_(peer),
      way_(way),
      sleepers_(sleepers) {
  if (channel_ == nullptr)
    throw system_error(ErrorCode::kUnavailable, "shm: cannot map the memory shared with a rank", errno);
}

// Both ends change the word by read-modify-write, so one of the two comes first: either this one sees that
// the other sleeps, or the other, looking again, sees what this one has published.
void End::ring(std::atomic<std::uint32_t>& sleeps) const {
  if (sleeps.exchange(0, std::memory_order_acq_rel) == 0) return;
  const char bell = 1;
  softcard::send_message(line_.get(), &bell, 1);  // a full queue wakes as well
}

void End::add_to_poll(std::vector<pollfd>& set, std::atomic<std::uint32_t>& sleeps,
                      const std::function<bool()>& ready) {
  if (!sleepers_.own) {  // as it said; nobody would wake it
    set.push_back({line_.get(), POLLIN | POLLOUT, 0});
    return;
  }
  sleeps.exchange(1, std::memory_order_acq_rel);
  slept_ = true;
  // What is there already ends the sleep at once: a line is always ready to be written to.
  set.push_back({line_.get(), static_cast<short>(ready() ? POLLIN | POLLOUT : POLLIN), 0});
}

void End::awake() {
  if (!slept_) return;
  slept_ = false;
  char bell = 0;
  while (softcard::receive_message(line_.get(), &bell, 1) > 0) {
  }
}

bool End::due() noexcept {
  if (++looks_ % kLooks != 0) return false;
  const std::int64_t now = now_ns();
  if (now - last_look_ns_ < kIntervalNs) return false;
  last_look_ns_ = now;
  return true;
}

bool End::is_alone() const {
  pollfd line{line_.get(), POLLRDHUP, 0};
  return poll(&line, 1, 0) > 0 && (line.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void End::lost() const {
  throw Error(ErrorCode::kConnectionLost,
              "shm: process " + std::to_string(peer_) + " has closed the connection or is gone");
}

}  // namespace collbench::shm
