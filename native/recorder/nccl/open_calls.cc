#include "recorder/nccl/open_calls.h"

#include <algorithm>

#include "core/clock.h"

namespace collbench::recorder {

namespace {
/// Time in nanoseconds without reports after which a call's device time is recorded with the ends seen so
/// far. A long call may get another line later.
constexpr std::int64_t kSilenceNs = 1'000'000'000;

/// Returns the number of the ticket's call in the order of all calls of this process. It determines the slot.
std::uint64_t order_of(std::uint64_t ticket) noexcept { return ticket / Recorder::kMaxLogs; }
int log_of(std::uint64_t ticket) noexcept { return static_cast<int>(ticket % Recorder::kMaxLogs); }
}  // namespace

class OpenCalls::SlotLock {
 public:
  explicit SlotLock(CallSlot& place) noexcept : place_(place) {
    while (place.is_taken.exchange(true, std::memory_order_acquire)) {
    }
  }
  ~SlotLock() { place_.is_taken.store(false, std::memory_order_release); }
  SlotLock(const SlotLock&) = delete;
  SlotLock& operator=(const SlotLock&) = delete;

 private:
  CallSlot& place_;
};

OpenCalls::CallSlot& OpenCalls::slot_of(std::uint64_t ticket) noexcept {
  return slots_[order_of(ticket) % kSlots];
}

std::uint64_t OpenCalls::start(const RecordEntry& call) noexcept {
  const std::uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed) * Recorder::kMaxLogs +
                               static_cast<std::uint64_t>(call.log);
  CallSlot& place = slot_of(ticket);
  const SlotLock held(place);
  if (place.stops != place.recorded_stops) record_time(place);
  place.ticket = ticket;
  place.call = call;
  place.device_start_ns = place.device_stop_ns = 0;
  place.starts = place.stops = place.recorded_stops = 0;
  return ticket;
}

void OpenCalls::stop(std::uint64_t ticket) noexcept {
  CallSlot& place = slot_of(ticket);
  const SlotLock held(place);
  if (place.ticket != ticket) return recorder_.lose(log_of(ticket), EntryKind::kCall);
  place.call.stop_ns = now_ns();
  recorder_.put(place.call);
}

void OpenCalls::kernel_start(std::uint64_t ticket, std::uint64_t device_ns) noexcept {
  CallSlot& place = slot_of(ticket);
  const SlotLock held(place);
  if (place.ticket != ticket) return;
  place.device_start_ns = place.starts == 0 ? device_ns : std::min(place.device_start_ns, device_ns);
  ++place.starts;
}

void OpenCalls::kernel_stop(std::uint64_t ticket, std::uint64_t device_ns) noexcept {
  CallSlot& place = slot_of(ticket);
  const SlotLock held(place);
  if (place.ticket != ticket) return recorder_.lose(log_of(ticket), EntryKind::kDeviceTime);
  place.device_stop_ns = std::max(place.device_stop_ns, device_ns);
  place.seen_ns = now_ns();
  ++place.stops;
  if (place.stops == place.starts && place.stops >= place.call.channels) record_time(place);
}

void OpenCalls::sweep(int log, bool everything) noexcept {
  const std::int64_t before = now_ns() - kSilenceNs;
  for (CallSlot& place : slots_) {
    const SlotLock held(place);
    if (place.call.log != log || place.stops == place.recorded_stops) continue;
    if (everything || place.seen_ns < before) record_time(place);
  }
}

void OpenCalls::record_time(CallSlot& place) noexcept {
  RecordEntry time;
  time.what = EntryKind::kDeviceTime;
  time.log = place.call.log;
  time.call = place.call.call;
  time.stop_ns = place.seen_ns;
  time.device_start_ns = place.device_start_ns;
  time.device_stop_ns = std::max(place.device_stop_ns, place.device_start_ns);
  place.recorded_stops = place.stops;
  recorder_.put(time);
}

}  // namespace collbench::recorder
