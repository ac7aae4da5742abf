// Kernels of a halo exchange: what a GPU does of it, in its stream between two updates. NVRTC compiles this
// text behind those that it includes; the host's compiler makes the twin, which one thread goes through.
#ifndef COLLBENCH_WORKLOADS_STENCIL_DEVICE_EXCHANGE_DEVICE_H
#define COLLBENCH_WORKLOADS_STENCIL_DEVICE_EXCHANGE_DEVICE_H

#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench {
namespace stencil {

using ibgda::u32;
using ibgda::u64;

constexpr u32 kMostLinks = 4;

/// What a kernel does before it waits for the halos.
enum ExchangeJob : u32 {
  kJobArrive,    // nothing: the host has put
  kJobComplete,  // takes completions, which the stream has seen
  kJobAsk,       // wakes the proxy, which puts
  kJobRing,      // rings for entries of the host, takes completions
  kJobPut,       // writes entries, rings, takes completions
  kJobStore      // stores into the neighbours' memory
};

/// To and from one neighbour.
struct ExchangeLink {
  u64 edge;    // own points
  u64 lane;    // where they go: an address for stores, or for queues
  u64 number;  // where that of the exchange arrives
  u64 bytes;   // of the points, a multiple of 4
  u32 edge_key, lane_key;
  ibgda::Lane queue;
};

struct ExchangeArgs {
  u32 job;  // ExchangeJob
  u32 links;
  u32 blocks;         // of each link that store
  u32 number_offset;  // in a lane
  u64 number;         // of this exchange
  u64* stored;        // of stores: blocks so far, by link, in device memory
  controlpath::Mailbox* mailbox;
  ExchangeLink link[kMostLinks];
};

#ifdef __CUDACC__
COLLBENCH_ON_DEVICE void meet_block() { __syncthreads(); }
using Quad = uint4;
#else
inline void meet_block() {}
struct alignas(16) [[gnu::may_alias]] Quad {
  u32 words[4];
};
#endif

COLLBENCH_ON_DEVICE void await_halo(const ExchangeArgs& a, u32 link) {
  const u64* const at = reinterpret_cast<const u64*>(a.link[link].number);
  // A neighbour may be one exchange ahead, but in its other lanes.
  controlpath::wait_until(a.mailbox, [&] { return ibgda::load_word(at) == a.number; });
}

/// The points of a side, then the number of the exchange: one completion.
COLLBENCH_ON_DEVICE void put_edge(const ExchangeArgs& a, const ExchangeLink& link) {
  const u32 next = link.queue.next;
  ibgda::write_put(link.queue.view, next, {link.lane, link.lane_key}, {link.edge, link.edge_key},
                   static_cast<u32>(link.bytes), false);
  ibgda::write_word(link.queue.view, next + 1, {link.lane + a.number_offset, link.lane_key}, a.number, true);
  ibgda::ring_put(link.queue.view, next + 2);
}

/// @returns whether all are good; the host hears of one that is not
COLLBENCH_ON_DEVICE bool take_completions(const ExchangeArgs& a) {
  for (u32 n = 0; n < a.links; ++n) {
    const ibgda::Lane& queue = a.link[n].queue;
    const u32 seen = controlpath::await_completion_of(a.mailbox, queue.view, queue.taken);
    if (seen == ibgda::kGood) continue;
    ibgda::store_word(&a.mailbox->first.syndrome, static_cast<u64>(seen));
    return false;
  }
  return true;
}

/// By one thread.
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

/// One block's part of the points of its link. Whoever stores the last part of a link says that all is there.
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
  meet_block();
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
