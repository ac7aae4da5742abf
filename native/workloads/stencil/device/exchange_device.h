// Kernels of a halo exchange: the GPU's part, in its stream between two updates. NVRTC compiles this text
// after the headers that it includes; the host compiler builds the same functions for fake GPUs, where one
// thread runs them.
#ifndef COLLBENCH_WORKLOADS_STENCIL_DEVICE_EXCHANGE_DEVICE_H
#define COLLBENCH_WORKLOADS_STENCIL_DEVICE_EXCHANGE_DEVICE_H

#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench {
namespace stencil {

using ibgda::u32;
using ibgda::u64;

constexpr u32 kMaxLinks = 4;

/// Kinds of exchange kernels: what a kernel does before it waits for the edge points of the neighbours.
enum ExchangeJob : u32 {
  kJobArrive,    // Nothing, because the host has put.
  kJobComplete,  // Takes completions that the stream has waited for.
  kJobAsk,       // Wakes the proxy, which puts.
  kJobRing,      // Rings for entries that the host wrote, then takes completions.
  kJobPut,       // Writes entries, rings and takes completions.
  kJobStore      // Stores into the neighbours' memory.
};

/// Memory addresses, and the queue for puts, that a kernel needs to exchange edge points with one neighbour.
/// A lane is memory for the points of one side, followed by the number of the exchange that brought them.
struct ExchangeLink {
  u64 edge;    // Address of this rank's edge points.
  u64 lane;    // Address of the neighbour's lane: where kernels store, or as queue entries name it.
  u64 number;  // Address in this rank's memory where the neighbour's exchange number arrives.
  u64 bytes;   // Bytes of the points, a multiple of 4.
  u32 edge_key, lane_key;  // Memory keys of both addresses in queue entries.
  ibgda::QueueCursor queue;
};

struct ExchangeArgs {
  u32 job;  // One of ExchangeJob.
  u32 links;
  u32 blocks;         // Blocks that store, for each link.
  u32 number_offset;  // Offset of the exchange number within a lane.
  u64 number;         // Number of this exchange.
  u64* stored;        // Number of blocks that have stored so far, by link, in device memory.
  controlpath::Mailbox* mailbox;
  ExchangeLink link[kMaxLinks];
};

#ifdef __CUDACC__
COLLBENCH_ON_DEVICE void block_barrier() { __syncthreads(); }
using Quad = uint4;
#else
inline void block_barrier() {}
struct alignas(16) [[gnu::may_alias]] Quad {
  u32 words[4];
};
#endif

COLLBENCH_ON_DEVICE void await_halo(const ExchangeArgs& a, u32 link) {
  const u64* const at = reinterpret_cast<const u64*>(a.link[link].number);
  // A neighbour may be one exchange ahead, but that one uses the other lanes.
  controlpath::wait_until(a.mailbox, [&] { return ibgda::load_word(at) == a.number; });
}

/// Writes and rings two puts: the points of one side, then the number of the exchange. The second has a
/// completion.
COLLBENCH_ON_DEVICE void put_edge(const ExchangeArgs& a, const ExchangeLink& link) {
  const u32 next = link.queue.next;
  ibgda::write_put(link.queue.view, next, {link.lane, link.lane_key}, {link.edge, link.edge_key},
                   static_cast<u32>(link.bytes), false);
  ibgda::write_word(link.queue.view, next + 1, {link.lane + a.number_offset, link.lane_key}, a.number, true);
  ibgda::ring_put(link.queue.view, next + 2);
}

/// Waits for one completion from each neighbour's queue. @returns true if all puts succeeded; otherwise the
/// error is stored for the host
COLLBENCH_ON_DEVICE bool take_completions(const ExchangeArgs& a) {
  for (u32 n = 0; n < a.links; ++n) {
    const ibgda::QueueCursor& queue = a.link[n].queue;
    const u32 seen = controlpath::await_completion_of(a.mailbox, queue.view, queue.taken);
    if (seen == ibgda::kGood) continue;
    ibgda::store_word(&a.mailbox->first.syndrome, static_cast<u64>(seen));
    return false;
  }
  return true;
}

/// Runs a whole exchange on one thread, for all jobs except kJobStore.
COLLBENCH_ON_DEVICE void exchange(const ExchangeArgs& a) {
  if (a.job == kJobAsk) controlpath::ask(a.mailbox);
  for (u32 n = 0; n < a.links; ++n) {
    if (a.job == kJobPut) put_edge(a, a.link[n]);
    if (a.job == kJobRing) ibgda::ring_put(a.link[n].queue.view, a.link[n].queue.next);
  }
  const bool takes = a.job == kJobComplete || a.job == kJobRing || a.job == kJobPut;
  if (takes && !take_completions(a)) return;
  for (u32 n = 0; n < a.links; ++n) await_halo(a, n);
}

/// Stores one thread block's share of the edge points into the neighbour's memory. The block that is the last
/// to finish for this neighbour also stores the number of the exchange, by which the neighbour sees that all
/// points are there.
COLLBENCH_ON_DEVICE void store_part(const ExchangeArgs& a, u32 block, u32 me, u32 workers) {
  const ExchangeLink& link = a.link[block / a.blocks];
  const u32 part = block % a.blocks;
  const Quad* const from = reinterpret_cast<const Quad*>(link.edge);
  Quad* const to = reinterpret_cast<Quad*>(link.lane);
  const u64 quads = link.bytes / sizeof(Quad), step = static_cast<u64>(a.blocks) * workers;
  for (u64 i = static_cast<u64>(part) * workers + me; i < quads; i += step) to[i] = from[i];
  if (part == 0) {
    const u64 end = link.bytes / sizeof(u32);
    for (u64 i = quads * (sizeof(Quad) / sizeof(u32)) + me; i < end; i += workers)
      reinterpret_cast<u32*>(link.lane)[i] = reinterpret_cast<const u32*>(link.edge)[i];
  }
  ibgda::order_stores();
  block_barrier();
  if (me != 0 || ibgda::add_to_counter(&a.stored[block / a.blocks], 1) % a.blocks != 0) return;
  ibgda::order_stores();
  ibgda::store_word(reinterpret_cast<u64*>(link.lane + a.number_offset), a.number);
}

#ifdef __CUDACC__
extern "C" __global__ void collbench_exchange(const __grid_constant__ ExchangeArgs a) {
  if (a.job != kJobStore) {
    if (blockIdx.x == 0 && threadIdx.x == 0) exchange(a);
    return;
  }
  store_part(a, blockIdx.x, threadIdx.x, blockDim.x);
  if (blockIdx.x % a.blocks == 0 && threadIdx.x == 0) await_halo(a, blockIdx.x / a.blocks);
}
#endif

}  // namespace stencil
}  // namespace collbench
#endif
