#include "engines/nvshmem/fake/kernels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace collbench::nvshmem_fake {
namespace {

bool drops() {
  const char* fault = std::getenv("NVSHMEM_FAKE_FAULT");
  return fault != nullptr && std::string_view(fault) == "drop";
}

template <class T>
T combined(T a, T b, int op) {
  switch (op) {
    case kCollbenchNvshmemProd:
      return a * b;
    case kCollbenchNvshmemMin:
      return std::min(a, b);
    case kCollbenchNvshmemMax:
      return std::max(a, b);
    default:
      return a + b;
  }
}

/// Reduces the inputs of all ranks in the order of ranks, for `count` elements from `first` on, into `out`.
template <class T>
void reduce(const World& world, const CollbenchNvshmemCall& call, std::size_t first,
            std::vector<std::byte>& out) {
  out.resize(call.count * sizeof(T));
  auto* const sums = reinterpret_cast<T*>(out.data());
  for (int rank = 0; rank < world.ranks; ++rank) {
    const T* const from = world.at(static_cast<const T*>(call.send), rank) + first;
    for (std::size_t i = 0; i < call.count; ++i)
      sums[i] = rank == 0 ? from[i] : combined(sums[i], from[i], call.op);
  }
}

void reduce_any(const World& world, const CollbenchNvshmemCall& call, std::size_t first,
                std::vector<std::byte>& out) {
  if (call.type == kCollbenchNvshmemFloat64) return reduce<double>(world, call, first, out);
  if (call.type == kCollbenchNvshmemInt32) return reduce<std::int32_t>(world, call, first, out);
  if (call.type == kCollbenchNvshmemInt64) return reduce<std::int64_t>(world, call, first, out);
  reduce<float>(world, call, first, out);
}

void copy(char* to, const char* from, std::size_t bytes) {
  if (bytes > 0 && !drops()) std::memcpy(to, from, bytes);
}

void there_and_back(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn) {
  char* const there = world.at(static_cast<char*>(work.remote), work.peer);
  const auto callers = static_cast<std::size_t>(work.callers);
  const auto send = [&](std::uint64_t value) {
    copy(there, static_cast<const char*>(work.local), callers * work.bytes);
    for (std::size_t caller = 0; caller < callers; ++caller)
      world.peer_flags(work.peer).signals[caller].store(value, std::memory_order_release);
  };
  for (int n = 1; n <= work.repeats; ++n) {
    const std::uint64_t value = turn + static_cast<std::uint64_t>(n);
    if (work.starts != 0) send(value);
    for (std::size_t caller = 0; caller < callers; ++caller)
      wait_for(world.peer_flags(world.rank).signals[caller], value);
    if (work.starts == 0) send(value);
  }
}

}  // namespace

const char* refusal(const CollbenchNvshmemCall& call) {
  const bool reduces =
      call.collective == kCollbenchNvshmemAllreduce || call.collective == kCollbenchNvshmemReducescatter;
  const bool has_half = call.type == kCollbenchNvshmemFloat16 || call.type == kCollbenchNvshmemBfloat16;
  return reduces && has_half ? "the fake has no 16-bit floats" : nullptr;
}

void collective(World& world, const CollbenchNvshmemCall& call) {
  const std::size_t part = call.count * call.element_bytes;
  const auto* const send = static_cast<const std::byte*>(call.send);
  std::vector<std::byte> result;
  world.barrier(1);
  for (int rank = 0; rank < world.ranks; ++rank) {
    const std::byte* const from = world.at(send, rank);
    if (call.collective == kCollbenchNvshmemAllgather) result.insert(result.end(), from, from + part);
    if (call.collective == kCollbenchNvshmemAlltoall) {
      const std::byte* const mine = from + static_cast<std::size_t>(world.rank) * part;
      result.insert(result.end(), mine, mine + part);
    }
    if (call.collective == kCollbenchNvshmemBroadcast && rank == call.root) result.assign(from, from + part);
  }
  if (call.collective == kCollbenchNvshmemAllreduce) reduce_any(world, call, 0, result);
  if (call.collective == kCollbenchNvshmemReducescatter)
    reduce_any(world, call, static_cast<std::size_t>(world.rank) * call.count, result);
  world.barrier(1);
  if (!result.empty()) std::memcpy(call.recv, result.data(), result.size());
}

void transfer(World& world, const CollbenchNvshmemTransfer& transfer, const SequenceNumbers& numbers) {
  const std::span<const CollbenchNvshmemLot> lots(transfer.lot, static_cast<std::size_t>(transfer.lots));
  for (std::size_t n = 0; n < lots.size(); ++n) {
    const CollbenchNvshmemLot& lot = lots[n];
    if (lot.from == nullptr) continue;
    copy(world.at(static_cast<char*>(lot.to), lot.peer), static_cast<const char*>(lot.from),
         lot.bytes * static_cast<std::size_t>(lot.count));
    const std::size_t each = (lot.bytes + transfer.point.packet_bytes - 1) / transfer.point.packet_bytes;
    // The last lot of a sequence says that all of it is there.
    if (lot.first + each * static_cast<std::size_t>(lot.count) == lot.total)
      world.peer_flags(lot.peer).mail[world.rank].store(numbers[n], std::memory_order_release);
  }
  for (std::size_t n = 0; n < lots.size(); ++n)
    if (lots[n].from == nullptr) wait_for(world.peer_flags(world.rank).mail[lots[n].peer], numbers[n]);
}

std::uint64_t turns_of(const CollbenchNvshmemOneSided& work) {
  if (work.kind == kCollbenchNvshmemPutSignal) return static_cast<std::uint64_t>(work.repeats);
  return work.kind == kCollbenchNvshmemNotify || work.kind == kCollbenchNvshmemAwait ? 1 : 0;
}

void one_sided(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn) {
  const std::size_t bytes = work.bytes * static_cast<std::size_t>(work.callers);
  auto* const local = static_cast<char*>(work.local);
  char* const there = world.at(static_cast<char*>(work.remote), work.peer);
  switch (work.kind) {
    case kCollbenchNvshmemPutSignal:
      return there_and_back(world, work, turn);
    case kCollbenchNvshmemNotify:
      return world.peer_flags(work.peer).signals[0].store(turn + 1, std::memory_order_release);
    case kCollbenchNvshmemAwait:
      return wait_for(world.peer_flags(world.rank).signals[0], turn + 1);
    case kCollbenchNvshmemGet:
    case kCollbenchNvshmemG:
      return copy(local, there, bytes);
    case kCollbenchNvshmemFetchAdd:
      for (std::size_t at = 0; at < bytes && !drops(); at += sizeof(std::uint64_t))
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(there + at))
            .fetch_add(static_cast<std::uint64_t>(work.repeats));
      return;
    default:
      return copy(there, local, bytes);
  }
}

}  // namespace collbench::nvshmem_fake
