#pragma once
// How far another machine's clock is from this one's, from messages that went there and back.
#include <algorithm>
#include <cstdint>

namespace collbench {

/// Four time stamps of one exchange, as in NTP (RFC 5905, section 8): asked and answered on this machine's
/// clock, heard and replied on the other's.
struct ClockExchange {
  std::int64_t asked_ns = 0, heard_ns = 0, replied_ns = 0, answered_ns = 0;
};

struct ClockReading {
  std::int64_t offset_ns = 0;       // other clock minus this one
  std::int64_t uncertainty_ns = 0;  // the true offset lies within offset +- uncertainty
};

/// Keeps the exchange whose bound is tightest now. An exchange tells the offset up to half its round trip,
/// whatever the two directions took; from then on the clocks may part by kDrift. So a fresh exchange that was
/// a little slower takes the place of an old one by itself.
class ClockOffset {
 public:
  /// Parts per million by which two clocks may part: quartz of two machines, not yet disciplined, is
  /// within 50.
  static constexpr std::int64_t kDriftPpm = 50;

  void add(const ClockExchange& e) noexcept {
    const std::int64_t away = e.answered_ns - e.asked_ns;
    const std::int64_t delay = std::max<std::int64_t>(0, away - (e.replied_ns - e.heard_ns));
    // The clocks part while the other side holds the message, too: a barrier may hold it for long.
    const std::int64_t bound = (delay + 1) / 2 + drift(away);
    if (known_ && bound > at(e.answered_ns).uncertainty_ns) return;
    known_ = true;
    taken_ns_ = e.answered_ns;
    best_ = {((e.heard_ns - e.asked_ns) + (e.replied_ns - e.answered_ns)) / 2, bound};
  }
  /// @param now_ns on this machine's clock
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
