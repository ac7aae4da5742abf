// Memory that the host shares with kernels that communicate by themselves, and how threads synchronise and
// wait. NVRTC compiles this text after transports/ibgda/lane.h; the host compiler builds the same functions
// for fake GPUs.
#ifndef COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H
#define COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_MAILBOX_DEVICE_H

#include "transports/ibgda/lane.h"

namespace collbench {
namespace controlpath {

using ibgda::u32;
using ibgda::u64;

/// Times and counts that a kernel reports to the host. Times are those of the device's clock (device_ns()),
/// durations are in ns.
struct DeviceReport {
  /// Times at which the kernel began, had written the puts' data, asked the proxy, was answered, and ended.
  u64 begin, computed, asked, resumed, end;
  /// Durations: writing queue entries, incrementing counters, ringing doorbells, waiting for completions.
  u64 post_ns, trigger_ns, ring_ns, completion_ns;
  u64 entries, doorbells, completions;  // Numbers of them that the kernel wrote, rang and took.
  u64 syndrome;                         // Error syndrome of a failed completion, plus 1; 0 = none failed.
};

/// Memory that the host and GPU kernels share: flags with which they signal each other, and kernels' reports.
struct Mailbox {
  u32 stop;     // Set when the host ends.
  u32 request;  // Set by a kernel that wants its puts done by the proxy.
  u32 answer;   // Set by the proxy when the puts are done.
  u32 ping;     // Number that the host writes to ask a kernel for its time, to compare clocks.
  u32 pong;     // Number of the ping that the kernel has answered last.
  u32 reserved;
  u64 pong_ns;                 // The kernel's answer: the device's clock in ns.
  DeviceReport first, second;  // Reports of the kernels of one operation.
};

/// Polls until `done` returns true, or until the host sets `stop` because the launch ends.
template <class Done>
COLLBENCH_ON_DEVICE void wait_until(const Mailbox* mailbox, Done done) {
  constexpr u32 kLooks = 256;
  ibgda::WaitPause rest;
  for (u32 looks = 1; !done(); ++looks) {
    if (looks % kLooks == 0 && ibgda::load_word(&mailbox->stop) != 0) return;
    rest.step();
  }
}

/// Requests that the host's proxy thread does the puts, and waits until it has done them, or until the host
/// sets `stop`. The proxy sees all earlier stores of the kernel.
COLLBENCH_ON_DEVICE void ask(Mailbox* mailbox) {
  ibgda::order_stores();
  ibgda::store_word(&mailbox->request, 1U);
  wait_until(mailbox, [&] { return ibgda::load_word(&mailbox->answer) != 0; });
  ibgda::store_word(&mailbox->answer, 0U);
}

/// Waits until the adapter has written completion number `taken` of a queue, counted from 0.
/// @returns ibgda::kGood if the put succeeded; the adapter's error syndrome plus 1 if it failed;
/// kNoCompletion if the host has set `stop`
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
