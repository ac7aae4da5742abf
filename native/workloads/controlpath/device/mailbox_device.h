// Memory that the host shares with kernels that communicate by themselves, and how threads synchronise and
// wait. NVRTC compiles this text after transports/ibgda/lane.h; the host compiler builds the twins.
#ifndef COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H
#define COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H

#include "transports/ibgda/lane.h"

namespace collbench {
namespace controlpath {

using ibgda::u32;
using ibgda::u64;

/// Results that a kernel reports. Times are those of device_ns(), durations are in ns.
struct DeviceReport {
  u64 begin, computed, asked, resumed, end;
  u64 post_ns, trigger_ns, ring_ns, completion_ns;
  u64 entries, doorbells, completions;
  u64 syndrome;  // Syndrome of a failed completion, plus 1.
};

/// Words in memory shared by host and kernels.
struct Mailbox {
  u32 stop;     // Set when the host ends.
  u32 request;  // Set by a kernel that wants its puts done by the proxy.
  u32 answer;   // Set by the proxy when the puts are done.
  u32 ping;     // Written by the host to compare clocks.
  u32 pong;
  u32 reserved;
  u64 pong_ns;
  DeviceReport first, second;  // Reports of the kernels of one operation.
};

/// Waits until `done` returns true, or until the host ends.
template <class Done>
COLLBENCH_ON_DEVICE void wait_until(const Mailbox* mailbox, Done done) {
  constexpr u32 kLooks = 256;
  ibgda::WaitPause rest;
  for (u32 looks = 1; !done(); ++looks) {
    if (looks % kLooks == 0 && ibgda::load_word(&mailbox->stop) != 0) return;
    rest.step();
  }
}

/// Asks the proxy to do the puts and waits until they are done. All earlier stores are visible to the proxy.
COLLBENCH_ON_DEVICE void ask(Mailbox* mailbox) {
  ibgda::order_stores();
  ibgda::store_word(&mailbox->request, 1U);
  wait_until(mailbox, [&] { return ibgda::load_word(&mailbox->answer) != 0; });
  ibgda::store_word(&mailbox->answer, 0U);
}

/// Waits for completion `taken` of a queue.
/// @returns ibgda::kGood, a syndrome + 1, or kNoCompletion if the host ends
COLLBENCH_ON_DEVICE u32 await_completion_of(const Mailbox* mailbox, const ibgda::QueueView& view, u32 taken) {
  u32 seen = ibgda::kNoCompletion;
  wait_until(mailbox, [&] {
    seen = ibgda::read_completion(view, taken);
    return seen != ibgda::kNoCompletion;
  });
  return seen;
}

}  // namespace controlpath
}  // namespace collbench
#endif
