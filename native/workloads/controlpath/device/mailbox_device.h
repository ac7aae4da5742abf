// What kernels that communicate by themselves share with the host, and how their threads meet and wait. NVRTC
// compiles this text behind that of transports/ibgda/lane.h; the host's compiler does so for twins.
#ifndef COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H
#define COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H

#include "transports/ibgda/lane.h"

namespace collbench {
namespace controlpath {

using ibgda::u32;
using ibgda::u64;

/// What a kernel leaves behind. Instants are of device_ns(), durations in ns.
struct DeviceReport {
  u64 begin, computed, asked, resumed, end;
  u64 post_ns, trigger_ns, ring_ns, completion_ns;
  u64 entries, doorbells, completions;
  u64 syndrome;  // of a failed completion, + 1
};

/// Words in memory that host and kernels share.
struct Mailbox {
  u32 stop;     // the host is ending
  u32 request;  // a kernel wants its puts done
  u32 answer;   // they are
  u32 ping;     // of the clocks' comparison
  u32 pong;
  u32 reserved;
  u64 pong_ns;
  DeviceReport first, second;  // of an operation's kernels
};

/// Waits until `done`, or until the host is ending.
template <class Done>
COLLBENCH_ON_DEVICE void wait_until(const Mailbox* mailbox, Done done) {
  constexpr u32 kLooks = 256;
  ibgda::Rest rest;
  for (u32 looks = 1; !done(); ++looks) {
    if (looks % kLooks == 0 && ibgda::load_word(&mailbox->stop) != 0) return;
    rest.step();
  }
}

/// Asks the proxy, which finds all that was stored before, until it has done what is asked.
COLLBENCH_ON_DEVICE void ask(Mailbox* mailbox) {
  ibgda::order_stores();
  ibgda::store_word(&mailbox->request, 1U);
  wait_until(mailbox, [&] { return ibgda::load_word(&mailbox->answer) != 0; });
  ibgda::store_word(&mailbox->answer, 0U);
}

/// Waits for completion `taken` of a queue. @returns ibgda::kGood, a syndrome + 1, or kNotYet where the host
/// is ending
COLLBENCH_ON_DEVICE u32 await_completion_of(const Mailbox* mailbox, const ibgda::QueueView& view, u32 taken) {
  u32 seen = ibgda::kNotYet;
  wait_until(mailbox, [&] {
    seen = ibgda::look_for_completion(view, taken);
    return seen != ibgda::kNotYet;
  });
  return seen;
}

}  // namespace controlpath
}  // namespace collbench
#endif
