// Collectives for short vectors by stores into other ranks' memory. Packets hold 8 bytes of data and a flag
// for each half, so no separate signal is needed.
//
// Why no packet is mistaken for another or overwritten unread, whatever operations follow one another:
// - Flags: packet memory holds only packets, whose flag is the number of the operation, which all ranks count
// alike. Packets of an earlier operation have another flag, wherever they lie.
// - Turns: operations of even and odd number use different memory. Kernels of a rank run one after another,
// and none reads peers' packets before the previous one has ended. In every operation each rank waits for a
// packet of every other rank that comes from the same operation. So a rank in operation n has ended n - 1,
// for which every other rank had ended n - 2. Hence nobody still reads the memory that n writes.
#ifndef COLLBENCH_ENGINES_CUDA_DEVICE_PACKETS_DEVICE_H
#define COLLBENCH_ENGINES_CUDA_DEVICE_PACKETS_DEVICE_H

#include "engines/cuda/device/stores_device.h"

namespace collbench {
namespace gpu {

/// Data of one packet: 8 bytes of a vector.
struct alignas(8) Pair {
  u32 low, high;
};
constexpr u64 kPairBytes = sizeof(Pair);

#ifdef __CUDACC__
COLLBENCH_ON_DEVICE void store_packet(u64 at, const Pair& data, u32 flag) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(at), "r"(data.low), "r"(flag),
               "r"(data.high), "r"(flag)
               : "memory");
}
COLLBENCH_ON_DEVICE bool load_packet(u64 at, Pair& data, u32 flag) {
  u32 first, second;
  asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(data.low), "=r"(first), "=r"(data.high), "=r"(second)
               : "l"(at)
               : "memory");
  return first == flag && second == flag;
}
#else
inline void store_packet(u64 at, const Pair& data, u32 flag) {
  const u64 first = static_cast<u64>(flag) << 32 | data.low,
            second = static_cast<u64>(flag) << 32 | data.high;
  ibgda::store_word(reinterpret_cast<u64*>(at), first);
  ibgda::store_word(reinterpret_cast<u64*>(at) + 1, second);
}
inline bool load_packet(u64 at, Pair& data, u32 flag) {
  const u64 first = ibgda::load_word(reinterpret_cast<const u64*>(at));
  const u64 second = ibgda::load_word(reinterpret_cast<const u64*>(at) + 1);
  data = {static_cast<u32>(first), static_cast<u32>(second)};
  return first >> 32 == flag && second >> 32 == flag;
}
#endif

/// Loads bytes [8 i, 8 i + 8) of the vector that begins at address `from` and is `bytes` long. The address
/// may be unaligned, and `bytes` need not be a multiple of 8; bytes after the end of the vector read as zero.
COLLBENCH_ON_DEVICE Pair load_pair(u64 from, u64 i, u64 bytes) {
  const u64 begin = i * kPairBytes;
  if ((from & (kPairBytes - 1)) == 0 && begin + kPairBytes <= bytes)
    return *reinterpret_cast<const Pair*>(from + begin);
  u64 word = 0;
  for (u64 n = begin; n < bytes && n < begin + kPairBytes; ++n)
    word |= static_cast<u64>(*reinterpret_cast<const unsigned char*>(from + n)) << 8 * (n - begin);
  return {static_cast<u32>(word), static_cast<u32>(word >> 32)};
}
COLLBENCH_ON_DEVICE void store_pair(u64 to, u64 i, u64 bytes, const Pair& data) {
  const u64 begin = i * kPairBytes;
  if ((to & (kPairBytes - 1)) == 0 && begin + kPairBytes <= bytes) {
    *reinterpret_cast<Pair*>(to + begin) = data;
    return;
  }
  const u64 word = static_cast<u64>(data.high) << 32 | data.low;
  for (u64 n = begin; n < bytes && n < begin + kPairBytes; ++n)
    *reinterpret_cast<unsigned char*>(to + n) = static_cast<unsigned char>(word >> 8 * (n - begin));
}

COLLBENCH_ON_DEVICE u32 flag_of(const StoreArgs& a) { return static_cast<u32>(a.epoch); }

/// Returns the address of packet number `place` in the memory of rank `at`, for packets that rank `source`
/// sends in a hop (0 or 1).
COLLBENCH_ON_DEVICE u64 place_of(const StoreArgs& a, u32 at, u32 source, u32 hop, u64 place) {
  const u64 row = ((a.epoch & 1) * kHops + hop) * a.ranks + source;
  return a.progress_flags[at] + kProgressFlagBytes + (row * a.places + place) * kPacketBytes;
}

COLLBENCH_ON_DEVICE void send_packet(const StoreArgs& a, u32 to, u32 hop, u64 place, const Pair& data) {
  store_packet(place_of(a, to, a.rank, hop, place), data, flag_of(a));
}
COLLBENCH_ON_DEVICE void send_packet_to_all(const StoreArgs& a, u32 hop, u64 place, const Pair& data) {
  for (u32 k = 1; k < a.ranks; ++k) send_packet(a, next_rank(a, k), hop, place, data);
}

COLLBENCH_ON_DEVICE bool receive_packet(const StoreArgs& a, u32 source, u32 hop, u64 place, Pair& data) {
  const u64 at = place_of(a, a.rank, source, hop, place);
  return wait_until(a, [&] { return load_packet(at, data, flag_of(a)); });
}

constexpr u32 kAtOnce = 8;  // Sources whose packets are polled together.

/// Waits for packet number `place` from every other rank and combines their data with this rank's data `own`
/// into `all`. The order of ranks is the same everywhere, so all ranks get identical bits.
/// @returns false if the host has set `stop`
template <class T>
COLLBENCH_ON_DEVICE bool combine_packets(const StoreArgs& a, u32 op, u64 place, const Pair& own, Pair& all) {
  for (u32 group = 0; group < a.ranks; group += kAtOnce) {
    Pair seen[kAtOnce];
    const bool came = wait_until(a, [&] {
      bool complete = true;
      COLLBENCH_UNROLL
      for (u32 i = 0; i < kAtOnce; ++i)
        if (group + i < a.ranks && group + i != a.rank)
          complete &= load_packet(place_of(a, a.rank, group + i, 0, place), seen[i], flag_of(a));
      return complete;
    });
    if (!came) return false;
    COLLBENCH_UNROLL
    for (u32 i = 0; i < kAtOnce; ++i) {
      if (group + i >= a.ranks) break;
      const Pair word = group + i == a.rank ? own : seen[i];
      all = group + i == 0 ? word : combined_words<T>(all, word, op);
    }
  }
  return true;
}

/// Returns how many bytes of a vector a range of pairs (8 bytes each) covers. The last pair of a vector may
/// have less than 8 bytes.
/// @param bytes length of the vector
COLLBENCH_ON_DEVICE u64 bytes_of_pairs(const Range& range, u64 bytes) {
  const u64 end = range.end * kPairBytes < bytes ? range.end * kPairBytes : bytes;
  return range.begin < range.end ? end - range.begin * kPairBytes : 0;
}

template <class T>
COLLBENCH_ON_DEVICE void one_shot_packets(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const u64 bytes = a.count * sizeof(T), send = a.sends[a.rank], result = a.results[a.rank];
  const Range mine = cut({0, a.units}, a.per_block, block);
  for (u64 i = mine.begin + me; i < mine.end; i += a.workers)
    send_packet_to_all(a, 0, i, load_pair(send, i, bytes));
  const u64 share = bytes_of_pairs(mine, bytes) * (a.ranks - 1);
  count_sent(a, me, share);
  for (u64 i = mine.begin + me; i < mine.end; i += a.workers) {
    Pair sum{};
    if (!combine_packets<T>(a, op, i, load_pair(send, i, bytes), sum)) return;
    store_pair(result, i, bytes, sum);
  }
  count_received(a, me, share);
}

/// Allreduce in two hops: in the first each rank gets its part from all, in the second all ranks get the
/// sums. Every part must have at least one packet, because each rank must receive a packet from every other
/// in each operation: only then may packet memory be used again two operations later.
template <class T>
COLLBENCH_ON_DEVICE void two_shot_packets(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const u64 bytes = a.count * sizeof(T), send = a.sends[a.rank], result = a.results[a.rank];
  const Range all = {0, a.units}, my_part = cut(all, a.per_part, a.rank);
  const Range mine = cut(my_part, a.per_block, block);
  u64 others = 0;
  for (u32 k = 1; k < a.ranks; ++k) {
    const u32 to = next_rank(a, k);
    const Range part = cut(all, a.per_part, to), slice = cut(part, a.per_block, block);
    for (u64 i = slice.begin + me; i < slice.end; i += a.workers)
      send_packet(a, to, 0, i - part.begin, load_pair(send, i, bytes));
    others += bytes_of_pairs(slice, bytes);
  }
  for (u64 i = mine.begin + me; i < mine.end; i += a.workers) {
    Pair sum{};
    if (!combine_packets<T>(a, op, i - my_part.begin, load_pair(send, i, bytes), sum)) return;
    send_packet_to_all(a, 1, i - my_part.begin, sum);
    store_pair(result, i, bytes, sum);
  }
  const u64 own = bytes_of_pairs(mine, bytes) * (a.ranks - 1);
  count_sent(a, me, others + own);
  for (u32 k = 1; k < a.ranks; ++k) {
    const u32 source = next_rank(a, k);
    const Range part = cut(all, a.per_part, source), slice = cut(part, a.per_block, block);
    for (u64 i = slice.begin + me; i < slice.end; i += a.workers) {
      Pair sum{};
      if (!receive_packet(a, source, 1, i - part.begin, sum)) return;
      store_pair(result, i, bytes, sum);
    }
  }
  count_received(a, me, others + own);
}

/// Reducescatter. The thread that overwrites an input element is the one that reads it, so the result may be
/// a part of the input.
template <class T>
COLLBENCH_ON_DEVICE void scatter_packets(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const u64 bytes = a.count * sizeof(T), send = a.sends[a.rank];
  const Range mine = cut({0, a.units}, a.per_block, block);
  for (u32 k = 1; k < a.ranks; ++k) {
    const u32 to = next_rank(a, k);
    for (u64 i = mine.begin + me; i < mine.end; i += a.workers)
      send_packet(a, to, 0, i, load_pair(send + to * bytes, i, bytes));
  }
  const u64 share = bytes_of_pairs(mine, bytes) * (a.ranks - 1);
  count_sent(a, me, share);
  for (u64 i = mine.begin + me; i < mine.end; i += a.workers) {
    Pair sum{};
    if (!combine_packets<T>(a, op, i, load_pair(send + a.rank * bytes, i, bytes), sum)) return;
    store_pair(a.results[a.rank], i, bytes, sum);
  }
  count_received(a, me, share);
}

/// Allgather, alltoall and broadcast. In a broadcast, ranks other than the root send one packet without data
/// to all, because each rank must receive a packet from every other in each operation: only then may packet
/// memory be used again two operations later.
COLLBENCH_ON_DEVICE void move_packets(const StoreArgs& a, u32 block, u32 me) {
  const u64 bytes = a.bytes, send = a.sends[a.rank], result = a.results[a.rank];
  const bool is_spread = a.shape == kSpread;
  const Range mine = cut({0, a.units}, a.per_block, block);
  const u64 share = bytes_of_pairs(mine, bytes);
  u64 sources = 0;
  if (sends_data(a, a.rank)) {
    for (u32 k = 1; k < a.ranks; ++k) {
      const u32 to = next_rank(a, k);
      for (u64 i = mine.begin + me; i < mine.end; i += a.workers)
        send_packet(a, to, 0, i, load_pair(send + (is_spread ? to * bytes : 0), i, bytes));
    }
    count_sent(a, me, share * (a.ranks - 1));
    const u64 own = send + (is_spread ? a.rank * bytes : 0), landing = result + landing_of(a, a.rank);
    for (u64 i = mine.begin + me; i < mine.end && own != landing; i += a.workers)
      store_pair(landing, i, bytes, load_pair(own, i, bytes));
  } else if (block == 0) {
    for (u32 to = me; to < a.ranks; to += a.workers)
      if (to != a.rank) send_packet(a, to, 0, 0, {});
  }
  for (u32 k = 1; k < a.ranks; ++k) {
    const u32 source = next_rank(a, k);
    Pair data{};
    if (sends_data(a, source)) {
      ++sources;
      for (u64 i = mine.begin + me; i < mine.end; i += a.workers) {
        if (!receive_packet(a, source, 0, i, data)) return;
        store_pair(result + landing_of(a, source), i, bytes, data);
      }
    } else if (block == 0 && me == 0) {
      if (!receive_packet(a, source, 0, 0, data)) return;
    }
  }
  count_received(a, me, share * sources);
}

}  // namespace gpu
}  // namespace collbench
#endif
