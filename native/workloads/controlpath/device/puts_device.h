// Kernels of the control paths: the GPU's part of an operation. NVRTC compiles this text after
// mailbox_device.h; the host compiler builds the same functions for fake GPUs, where one thread runs them.
#ifndef COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_PUTS_DEVICE_H
#define COLLBENCH_WORKLOADS_CONTROLPATH_DEVICE_PUTS_DEVICE_H

#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench {
namespace controlpath {

constexpr u32 kMaxLanes = 16;
/// Number of threads that increment the counter of a triggered put if each thread of the block does so: one
/// warp.
constexpr u32 kCountingThreads = 32;

/// Work of a kernel after it has written the data of the puts: nothing more, wake the host's proxy thread,
/// count for triggered puts, or write entries and ring by itself.
enum DeviceJob : u32 { kJobCompute, kJobProxy, kJobTriggered, kJobInitiate };

/// Arguments of the kernel that writes the data of an operation's puts and, depending on `job`, starts them.
struct PutArgs {
  u32 job;      // One of DeviceJob.
  u32 workers;  // Threads that work together: 1, the 32 of a warp, or all of the block.
  /// Threads that increment the counter of triggered puts: 0 = each thread for each put, 1 = one thread for
  /// each put, 2 = one thread once for all puts.
  u32 granularity;
  u32 lanes, puts, batch;  // Number of queues, puts on each queue, and puts that one doorbell starts.
  u64 bytes;               // Length of one put.
  u64 number;              // Number of the operation.
  ibgda::KeyedAddress source, target;
  u64* counter;  // Counter of triggered puts, in device memory.
  Mailbox* mailbox;
  DeviceReport* report;
  ibgda::QueueCursor lane[kMaxLanes];
};

/// Arguments of the kernel that waits at the target. It ends when the last put of each queue has brought the
/// number of the operation.
struct ArrivalArgs {
  u32 lanes, puts;  // Number of queues, and puts on each queue.
  u64 bytes;        // Length of one put.
  u64 number;       // Number of the operation.
  u64 target;       // Address of the memory into which the puts are written.
  Mailbox* mailbox;
};

struct ClockArgs {
  u32 first, exchanges;  // Number of the first ping, and how many follow.
  Mailbox* mailbox;
};

#ifdef __CUDACC__
/// Barrier for the first `workers` threads only. Other threads of their warp may already wait where the warp
/// continues together; a barrier of the whole block would wait for these, too.
COLLBENCH_ON_DEVICE void worker_barrier(u32 workers) {
  if (workers > kCountingThreads)
    __syncthreads();
  else if (workers > 1)
    __syncwarp();
}
#else
inline void worker_barrier(u32) {}
#endif

/// Report (durations and counts) that a kernel fills, and the time at which the current step began (`since`,
/// device clock). The kernel's threads write it one after the other, with a barrier in between.
struct PutState {
  DeviceReport report;
  u64 since;
};

/// Adds the time in ns since the previous step ended to the duration `on`, and begins the next step.
COLLBENCH_ON_DEVICE void add_time(PutState& state, u64& on) {
  const u64 now = ibgda::device_ns();
  on += now - state.since;
  state.since = now;
}

COLLBENCH_ON_DEVICE u64 offset_of(const PutArgs& a, u32 lane, u32 put) {
  return (static_cast<u64>(lane) * a.puts + put) * a.bytes;
}

/// Writes the number of the operation into the last 8 bytes of each put's data. All workers (a.workers
/// threads) call it together. @param me number of the calling thread, from 0
COLLBENCH_ON_DEVICE void make_data(const PutArgs& a, u32 me) {
  for (u32 n = me; n < a.lanes * a.puts; n += a.workers) {
    const u64 at = a.source.address + offset_of(a, n / a.puts, n % a.puts) + a.bytes - sizeof(u64);
    ibgda::store_word(reinterpret_cast<u64*>(at), a.number);
  }
  ibgda::order_stores();
  worker_barrier(a.workers);
}

COLLBENCH_ON_DEVICE void post(const PutArgs& a, PutState& state, u32 me, u32 group) {
  for (u32 n = me; n < a.lanes * a.batch; n += a.workers) {
    const u32 lane = n / a.batch, in_batch = n % a.batch, put = group * a.batch + in_batch;
    const u64 at = offset_of(a, lane, put);
    ibgda::write_put(a.lane[lane].view, a.lane[lane].next + put, {a.target.address + at, a.target.key},
                     {a.source.address + at, a.source.key}, static_cast<u32>(a.bytes),
                     in_batch + 1 == a.batch);
  }
  ibgda::order_stores();
  worker_barrier(a.workers);
  if (me != 0) return;
  state.report.entries += a.lanes * a.batch;
  add_time(state, state.report.post_ns);
}

/// Rings the doorbell of each queue for the puts of group number `group` (those that share a doorbell). The
/// entries of triggered puts were written by the host and are already counted in QueueCursor::next.
COLLBENCH_ON_DEVICE void ring(const PutArgs& a, PutState& state, u32 group) {
  for (u32 lane = 0; lane < a.lanes; ++lane) {
    const u32 first = a.job == kJobTriggered ? a.lane[lane].next - a.puts : a.lane[lane].next;
    ibgda::ring_put(a.lane[lane].view, first + (group + 1) * a.batch);
  }
  state.report.doorbells += a.lanes;
  add_time(state, state.report.ring_ns);
}

/// Increments a counter for each put, as triggered operations of a network adapter would. The increment that
/// completes a group rings the group's doorbells. With granularity 2, one increment rings for all groups.
COLLBENCH_ON_DEVICE void trigger(const PutArgs& a, PutState& state, u32 me) {
  const bool at_once = a.granularity == 2;
  const u32 counting = a.granularity == 0 ? kCountingThreads : 1;
  const u64 threshold = at_once ? 1 : static_cast<u64>(a.batch) * counting;
  for (u32 put = 0; put < (at_once ? 1 : a.puts); ++put) {
    for (u32 thread = me; thread < counting; thread += a.workers) {
      if (ibgda::add_to_counter(a.counter, 1) % threshold != 0) continue;
      add_time(state, state.report.trigger_ns);
      ring(a, state, at_once ? a.puts / a.batch - 1 : put / a.batch);
    }
    worker_barrier(a.workers);  // Without this meeting, a doorbell could take back a later one.
  }
  if (me == 0) add_time(state, state.report.trigger_ns);
}

COLLBENCH_ON_DEVICE void await_completion(const PutArgs& a, PutState& state) {
  for (u32 lane = 0; lane < a.lanes; ++lane)
    for (u32 n = 0; n < a.puts / a.batch; ++n) {
      const ibgda::QueueCursor& queue = a.lane[lane];
      const u32 seen = await_completion_of(a.mailbox, queue.view, queue.taken + n);
      if (seen == ibgda::kNoCompletion) return;
      ++state.report.completions;
      if (seen != ibgda::kGood) {
        state.report.syndrome = seen;
        return;
      }
    }
  add_time(state, state.report.completion_ns);
}

COLLBENCH_ON_DEVICE void ask_proxy(const PutArgs& a, PutState& state) {
  state.report.asked = ibgda::device_ns();
  ask(a.mailbox);
  state.report.resumed = ibgda::device_ns();
}

/// Runs the kernel of one operation: writes the data, then does `a.job`. All threads of the kernel call it;
/// `me` is the number of the calling thread.
COLLBENCH_ON_DEVICE void put(const PutArgs& a, PutState& state, u32 me) {
  if (me == 0) {
    state.report = DeviceReport();
    state.report.begin = state.since = ibgda::device_ns();
  }
  make_data(a, me);
  if (me == 0) {
    state.since = ibgda::device_ns();
    state.report.computed = state.since;
  }
  if (a.job == kJobTriggered) {
    if (me == 0) ibgda::store_word(a.counter, static_cast<u64>(0));
    worker_barrier(a.workers);
    trigger(a, state, me);
  } else if (a.job == kJobInitiate) {
    for (u32 group = 0; group < a.puts / a.batch; ++group) {
      post(a, state, me, group);
      if (me == 0) ring(a, state, group);
    }
  }
  if (me != 0) return;
  if (a.job == kJobTriggered || a.job == kJobInitiate) await_completion(a, state);
  if (a.job == kJobProxy) ask_proxy(a, state);
  state.report.end = ibgda::device_ns();
  *a.report = state.report;
}

COLLBENCH_ON_DEVICE void await_arrival(const ArrivalArgs& a) {
  for (u32 lane = 0; lane < a.lanes; ++lane) {
    const u64 end = a.target + (static_cast<u64>(lane) * a.puts + a.puts) * a.bytes;
    const u64* const at = reinterpret_cast<const u64*>(end - sizeof(u64));
    wait_until(a.mailbox, [&] { return ibgda::load_word(at) >= a.number; });
  }
}

/// Kernel for comparing clocks: answers each ping of the host with the device's time in ns.
COLLBENCH_ON_DEVICE void answer_pings(const ClockArgs& a) {
  for (u32 n = 0; n < a.exchanges; ++n) {
    const u32 ping = a.first + n;
    wait_until(a.mailbox, [&] { return ibgda::load_word(&a.mailbox->ping) == ping; });
    ibgda::store_word(&a.mailbox->pong_ns, ibgda::device_ns());
    ibgda::order_stores();
    ibgda::store_word(&a.mailbox->pong, ping);
  }
}

#ifdef __CUDACC__
extern "C" __global__ void collbench_put(const __grid_constant__ PutArgs a) {
  __shared__ PutState state;
  if (threadIdx.x < a.workers) put(a, state, threadIdx.x);
}
extern "C" __global__ void collbench_arrival(const __grid_constant__ ArrivalArgs a) {
  if (threadIdx.x == 0) await_arrival(a);
}
extern "C" __global__ void collbench_clock(const __grid_constant__ ClockArgs a) {
  if (threadIdx.x == 0) answer_pings(a);
}
#endif

}  // namespace controlpath
}  // namespace collbench
#endif
