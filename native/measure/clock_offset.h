#pragma once
// Estimates the offset of another machine's clock from messages that go there and back.
#include <algorithm>
#include <cstdint>

namespace collbench {

/// Four time stamps of one exchange between two machines, as in NTP (RFC 5905, section 8). request_sent_ns
/// and reply_received_ns are from the clock of this machine, the other two from the clock of the peer.
struct ClockExchange {
  std::int64_t request_sent_ns = 0, request_received_ns = 0, reply_sent_ns = 0, reply_received_ns = 0;
};

struct ClockReading {
  std::int64_t offset_ns = 0;  // Time of the peer's clock minus time of this machine's clock.
  /// Largest possible error in ns: the true offset is within offset_ns +- uncertainty_ns.
  std::int64_t uncertainty_ns = 0;
};

/// Offset between the clocks of two machines, from the exchange with the smallest uncertainty at the current
/// time. An exchange limits the error to half its round trip, even if one direction was slower. Afterwards
/// the clocks may drift by kDriftPpm, so the uncertainty grows. A new exchange therefore replaces an old one
/// even if it was a little slower.
class ClockOffset {
 public:
  /// Parts per million by which two clocks are assumed to drift apart. Quartz clocks of two machines stay
  /// within 50 even if nothing corrects them.
  static constexpr std::int64_t kDriftPpm = 50;

  /// Replaces the current exchange by `e`, unless `e` limits the error less at the time of its reply.
  void add(const ClockExchange& e) noexcept {
    const std::int64_t away = e.reply_received_ns - e.request_sent_ns;
    const std::int64_t delay = std::max<std::int64_t>(0, away - (e.reply_sent_ns - e.request_received_ns));
    // The drift counts for the whole exchange, since a barrier may make the other side hold the message for
    // long.
    const std::int64_t bound = (delay + 1) / 2 + drift(away);
    if (known_ && bound > at(e.reply_received_ns).uncertainty_ns) return;
    known_ = true;
    taken_ns_ = e.reply_received_ns;
    best_ = {((e.request_received_ns - e.request_sent_ns) + (e.reply_sent_ns - e.reply_received_ns)) / 2,
             bound};
  }
  /// Returns the offset and its uncertainty at the time `now_ns` of this machine's clock. Without any
  /// exchange so far the offset is 0 and the uncertainty has no meaning.
  [[nodiscard]] ClockReading at(std::int64_t now_ns) const noexcept {
    return {best_.offset_ns, best_.uncertainty_ns + drift(now_ns - taken_ns_)};
  }

 private:
  static std::int64_t drift(std::int64_t ns) noexcept { return (ns * kDriftPpm + 999'999) / 1'000'000; }
  ClockReading best_;
  std::int64_t taken_ns_ = 0;
  bool known_ = false;
};

}  // namespace collbench
