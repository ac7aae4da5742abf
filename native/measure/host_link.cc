#include "measure/host_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench {
namespace {

constexpr int kPings = 16;
/// Time in ns for which a wait polls before it sleeps. It is longer than a round trip within a machine room,
/// because waking a thread costs some microseconds. It is not longer, because on a shared core polling delays
/// other threads.
constexpr std::int64_t kPollingNs = 200'000;
constexpr int kSleepMs = 10;  // Longest sleep before `abort` is read again.
constexpr std::size_t kLongestReason = 1000;
constexpr const char* kHungUp = "it hung up";

}  // namespace

HostLink::HostLink(std::vector<LeaderConnection> ends, bool is_root, const std::atomic<std::uint32_t>& abort,
                   bool polls, ReadClock now)
    : is_root_(is_root), polls_(polls), abort_(abort), now_(std::move(now)) {
  for (LeaderConnection& end : ends) {
    Connection& mine = ends_.emplace_back();
    mine.fd = end.fd;
    mine.name = std::move(end.name);
  }
}

HostLink::~HostLink() {
  for (const Connection& end : ends_) close(end.fd);
}

std::int64_t HostLink::barrier(std::int64_t decision, std::uint32_t late) {
  ++round_;
  if (is_root_) {
    gather([this](Connection& end) {
      if (end.incoming.kind != FrameKind::kArrive || end.incoming.round != round_) wrong_frame(end);
      end.request_received_ns = now_();
      end.late = end.incoming.late;
      return true;
    });
    Frame release;
    release.kind = FrameKind::kRelease;
    release.round = round_;
    release.value = decision;
    for (Connection& end : ends_) {
      release.request_received_ns = end.request_received_ns;
      send(end, release);
    }
    return decision;
  }
  Frame arrive;
  arrive.round = round_;
  arrive.late = late;
  Connection& root = ends_.front();
  const std::int64_t asked = now_();
  send(root, arrive);
  const Frame release = receive_expected(root, FrameKind::kRelease);
  const std::int64_t answered = now_();
  if (release.round != round_) wrong_frame(root);
  offset_.add({asked, release.request_received_ns, release.sent_ns, answered});
  return release.value;
}

std::uint32_t HostLink::others_late() const noexcept {
  std::uint32_t sum = 0;
  for (const Connection& end : ends_) sum += end.late;
  return sum;
}

void HostLink::announce(std::int64_t start_ns) {
  for (Connection& end : ends_) {
    Frame start;
    start.kind = FrameKind::kStart;
    start.value = start_ns;
    send(end, start);
  }
}

std::int64_t HostLink::await_start() { return receive_expected(ends_.front(), FrameKind::kStart).value; }

void HostLink::synchronise() {
  if (is_root_) {
    for (Connection& end : ends_) end.pings = 0;
    gather([this](Connection& end) {
      Frame pong;
      pong.request_received_ns = now_();
      if (end.incoming.kind != FrameKind::kPing) wrong_frame(end);
      pong.kind = FrameKind::kPong;
      send(end, pong);
      return ++end.pings == kPings;
    });
    return;
  }
  Connection& root = ends_.front();
  for (int n = 0; n < kPings; ++n) {
    Frame ping;
    ping.kind = FrameKind::kPing;
    const std::int64_t asked = now_();
    send(root, ping);
    const Frame pong = receive_expected(root, FrameKind::kPong);
    offset_.add({asked, pong.request_received_ns, pong.sent_ns, now_()});
  }
}

ClockReading HostLink::clock() const { return is_root_ ? ClockReading{} : offset_.at(now_()); }

void HostLink::check_connections() {
  for (Connection& end : ends_) {
    pollfd one{end.fd, POLLRDHUP, 0};
    if (poll(&one, 1, 0) <= 0) continue;  // Nothing arrived, or a signal interrupted the call.
    if (!is_root_) receive(end);          // The root may have sent the reason before it closed.
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(end.fd, SOL_SOCKET, SO_ERROR, &error, &length);
    fail_connection(end, error == 0 ? kHungUp : std::strerror(error));
  }
}

void HostLink::gather(const std::function<bool(Connection&)>& take) {
  for (Connection& end : ends_) end.due = true;
  wait([&] {
    bool all = true;
    for (Connection& end : ends_) {
      if (end.due && !end.quiet && receive(end)) end.due = !take(end);
      all = all && !end.due;
    }
    return all;
  });
}

void HostLink::send(Connection& end, Frame frame) {
  frame.sent_ns = now_();
  send_bytes(end, &frame, sizeof frame);
}

void HostLink::send_bytes(Connection& end, const void* data, std::size_t bytes) {
  std::size_t sent = 0;
  while (sent < bytes) {
    const ssize_t n =
        ::send(end.fd, static_cast<const char*>(data) + sent, bytes - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) fail_connection(end, std::strerror(errno));
    stop_if_aborted();
    pollfd one{end.fd, POLLOUT, 0};
    poll(&one, 1, kSleepMs);
  }
}

bool HostLink::receive_bytes(Connection& end, void* data, std::size_t bytes, std::size_t& filled) {
  const ssize_t n = ::recv(end.fd, static_cast<char*>(data) + filled, bytes - filled, MSG_DONTWAIT);
  if (n == 0) fail_connection(end, kHungUp);
  if (n < 0 && errno != EAGAIN && errno != EINTR) fail_connection(end, std::strerror(errno));
  if (n > 0) filled += static_cast<std::size_t>(n);
  return filled == bytes;
}

bool HostLink::receive(Connection& end) {
  if (!receive_bytes(end, &end.incoming, sizeof end.incoming, end.filled)) return false;
  end.filled = 0;
  if (end.incoming.kind != FrameKind::kEnd) return true;
  std::string reason(std::clamp<std::size_t>(static_cast<std::size_t>(end.incoming.value), 1, kLongestReason),
                     ' ');
  std::size_t filled = 0;
  wait([&] { return receive_bytes(end, reason.data(), reason.size(), filled); });
  throw Error(ErrorCode::kConnectionLost, reason);
}

HostLink::Frame HostLink::receive_expected(Connection& end, FrameKind kind) {
  wait([&] { return receive(end); });
  if (end.incoming.kind != kind) wrong_frame(end);
  return end.incoming;
}

void HostLink::wait(const std::function<bool()>& ready) {
  const std::int64_t polling_until = polls_ ? now_ns() + kPollingNs : 0;
  std::vector<pollfd> set;
  for (Connection& end : ends_) end.quiet = false;
  while (!ready()) {
    stop_if_aborted();
    if (now_ns() < polling_until) {
      cpu_relax();
      continue;
    }
    // Connections that are not due are polled only for hang-ups, not for data.
    set.clear();
    for (const Connection& end : ends_)
      set.push_back({end.fd, static_cast<short>(POLLRDHUP | (end.due || !is_root_ ? POLLIN : 0)), 0});
    const bool any = poll(set.data(), set.size(), kSleepMs) > 0;
    if (!is_root_) continue;
    // All connections share one poll() call; one call for each connection and message would grow with the
    // square of the machines.
    bool hung_up = false;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const int seen = any ? set[i].revents : 0;
      ends_[i].quiet = seen == 0;
      hung_up = hung_up || (seen & ~POLLIN) != 0;
    }
    if (hung_up) check_connections();
  }
}

void HostLink::stop_if_aborted() const {
  if (abort_.load(std::memory_order_relaxed) != 0)
    throw Error(ErrorCode::kCancelled, "stopped while waiting for other machines: the run is being ended");
}

void HostLink::wrong_frame(const Connection& end) const {
  throw Error(ErrorCode::kProtocol, end.name + " is at another step of the measurement than this machine");
}

void HostLink::fail_connection(const Connection& lost, const std::string& why) {
  const std::string reason = ("the link to " + lost.name + " is lost: " + why).substr(0, kLongestReason);
  if (is_root_) {
    Frame farewell;
    farewell.kind = FrameKind::kEnd;
    farewell.value = static_cast<std::int64_t>(reason.size());
    for (const Connection& end : ends_) {
      if (end.fd == lost.fd) continue;
      // Failures are ignored: a leader that has gone needs no notice.
      ::send(end.fd, &farewell, sizeof farewell, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE);
      ::send(end.fd, reason.data(), reason.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }
  throw Error(ErrorCode::kConnectionLost, reason);
}

}  // namespace collbench
