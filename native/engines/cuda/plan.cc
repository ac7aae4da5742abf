#include "engines/cuda/plan.h"

#include <algorithm>

namespace collbench::gpu {
namespace {

constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
constexpr std::size_t kDataBytes = 8;  // Data bytes per packet.
constexpr std::size_t kWordBytes = 16;

// Limits measured on two H200s behind NVLink. This one is in bytes given to all other ranks together.
constexpr std::size_t kOneShotBytes = 512 * KiB;
constexpr std::size_t kPacketsBytes = 512 * KiB;  // The same limit for collectives other than allreduce.
// The next limits are in bytes of the vector.
constexpr std::size_t kTwoShotBytes = MiB;
constexpr std::size_t kLoadsBytes = 4 * MiB;

std::size_t shares(std::size_t all, std::size_t each) { return (all + each - 1) / each; }

u32 rounded_threads(std::size_t wanted, std::size_t most) {
  return static_cast<u32>(std::clamp<std::size_t>(shares(wanted, 32) * 32, 32, most));
}

/// Sets the plan's grid so that each thread has one packet or word, in blocks of at most `max_threads`
/// threads. If that needs more than `max_blocks`, threads have several.
void spread(StorePlan& plan, std::size_t units, std::size_t max_threads, u32 max_blocks) {
  plan.threads = rounded_threads(units, max_threads);
  plan.blocks = static_cast<u32>(std::clamp<std::size_t>(shares(units, plan.threads), 1, max_blocks));
}

struct Sizes {
  std::size_t bytes;       // Length of the whole vector (allreduce, broadcast), or of one rank's part.
  std::size_t pairs;       // Packets that hold these bytes, 8 bytes each.
  std::size_t part_pairs;  // Packets of a rank's part, if the vector is divided among the ranks.
};
Sizes sizes_of(const Operation& operation, int ranks) {
  const std::size_t bytes = operation.count * size_of(operation.dtype);
  const std::size_t pairs = shares(bytes, kDataBytes);
  return {bytes, pairs, shares(pairs, static_cast<std::size_t>(ranks))};
}

/// Returns true if an allreduce in two hops can use packets: they fit into packet memory, and the part of
/// every rank has at least one packet. Kernels rely on the second condition, because every rank waits for a
/// packet from every other.
bool has_parts_of_packets(const Sizes& sizes, int ranks) {
  return sizes.part_pairs <= places_of(ranks) &&
         sizes.part_pairs * static_cast<std::size_t>(ranks - 1) < sizes.pairs;
}

void set_allreduce(StorePlan& plan, DirectShape shape, StoreMethod way) {
  plan.shape = shape;
  plan.way = way;
}

/// Selects the algorithm `asked`, or the fastest on two H200s if that is empty. If the size does not allow
/// it, "loads" is selected; a single rank always gets "one-shot".
void choose_allreduce(StorePlan& plan, const Sizes& sizes, int ranks, const std::string& asked) {
  const std::size_t given = sizes.bytes * static_cast<std::size_t>(ranks - 1);
  const bool wants_one = asked.empty() ? given <= kOneShotBytes : asked == "one-shot";
  const bool wants_two = asked.empty() ? sizes.bytes <= kTwoShotBytes : asked == "two-shot";
  const bool wants_slots = asked.empty() ? sizes.bytes > kLoadsBytes : asked == "staged";
  set_allreduce(plan, kTwoShot, kByWords);
  if (ranks == 1 || (wants_one && sizes.pairs <= places_of(ranks)))
    set_allreduce(plan, kOneShot, kByPackets);
  else if (wants_two && has_parts_of_packets(sizes, ranks))
    set_allreduce(plan, kTwoShot, kByPackets);
  else if (wants_slots && sizes.bytes % kWordBytes == 0)
    set_allreduce(plan, kTwoShot, kBySlots);
}

void choose_other(StorePlan& plan, const Operation& operation, const Sizes& sizes, int ranks,
                  const std::string& asked) {
  switch (operation.kind) {
    case CollectiveKind::kReducescatter:
      plan.shape = kReduceScatter;
      break;
    case CollectiveKind::kAllgather:
      plan.shape = kGather;
      break;
    case CollectiveKind::kAlltoall:
      plan.shape = kSpread;
      break;
    default:
      plan.shape = kBroadcast;
  }
  const bool wants =
      asked.empty() ? sizes.bytes * static_cast<std::size_t>(ranks - 1) <= kPacketsBytes : asked == "packets";
  plan.way = wants && sizes.pairs <= places_of(ranks) ? kByPackets : kByWords;
}

void set_grid(StorePlan& plan, const Sizes& sizes, int ranks, u32 max_blocks) {
  const std::size_t words = shares(sizes.bytes, kWordBytes);
  switch (plan.way) {
    case kByPackets:
      spread(plan, plan.shape == kTwoShot ? sizes.part_pairs : sizes.pairs,
             sizes.bytes <= 256 * KiB ? 512 : kMaxStoreThreads, max_blocks);
      break;
    case kBySlots:
      plan.blocks = max_blocks;
      plan.threads = kMaxStoreThreads;
      break;
    default:
      spread(plan, plan.shape == kTwoShot ? shares(words, static_cast<std::size_t>(ranks)) : words, 512,
             max_blocks);
  }
}

}  // namespace

std::size_t places_of(int ranks) noexcept {
  return kPacketRegion / kPacketBytes / static_cast<std::size_t>(ranks);
}
std::size_t max_piece(int ranks) noexcept {
  return kSlotRegion / (static_cast<std::size_t>(ranks) * kMaxStoreBlocks * kSlots) / kWordBytes * kWordBytes;
}

StorePlan plan_of(const Operation& operation, int ranks, const CudaSettings& settings) {
  StorePlan plan;
  const Sizes sizes = sizes_of(operation, ranks);
  if (operation.kind == CollectiveKind::kAllreduce)
    choose_allreduce(plan, sizes, ranks, settings.algorithm);
  else
    choose_other(plan, operation, sizes, ranks, settings.algorithm);
  set_grid(plan, sizes, ranks, settings.max_blocks);
  if (settings.blocks > 0) plan.blocks = settings.blocks;
  if (settings.threads > 0) plan.threads = settings.threads;
  plan.overlaps = plan.blocks * plan.threads <= settings.max_overlapping_threads;
  if (plan.way == kBySlots) {
    plan.piece_bytes = max_piece(ranks);
    if (settings.piece_bytes > 0) plan.piece_bytes = std::min(plan.piece_bytes, settings.piece_bytes);
  }
  return plan;
}

std::string_view algorithm_of(const StorePlan& plan) noexcept {
  if (plan.shape == kOneShot) return "one-shot";
  if (plan.shape != kTwoShot) return plan.way == kByPackets ? "packets" : "direct";
  if (plan.way == kByPackets) return "two-shot";
  return plan.way == kBySlots ? "staged" : "loads";
}

std::string format_shape(const StorePlan& plan) {
  const std::string grid = std::to_string(plan.blocks) + "x" + std::to_string(plan.threads);
  if (plan.way != kBySlots) return grid;
  return grid + "/" +
         (plan.piece_bytes % KiB == 0 ? std::to_string(plan.piece_bytes / KiB) + "K"
                                      : std::to_string(plan.piece_bytes));
}

}  // namespace collbench::gpu
