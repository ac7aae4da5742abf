#include "engines/cuda/stores.h"

#include <algorithm>
#include <limits>

#include "engines/cuda/device/kernels_device.h"
#include "engines/cuda/sources.h"

namespace collbench::gpu {
namespace {

// Size of GPU pages; IPC handles refer to whole pages.
constexpr std::size_t kGranularity = std::size_t{2} << 20;

/// Does the work of the kernels on the host, for fake GPUs: runs the blocks one after the other, each on one
/// thread. All ranks run them in the same order.
void run_stores(const void* arguments) {
  StoreArgs args = *static_cast<const StoreArgs*>(arguments);
  args.workers = 1;
  with_type(args.type, [&](auto element) {
    for (u32 block = 0; block < args.blocks; ++block) run_store_block<decltype(element)>(args, block);
  });
}

const char* kernel_of(DirectShape shape, StoreMethod way) {
  switch (shape) {
    case kOneShot:
      return "collbench_one_shot_packets";
    case kTwoShot:
      if (way == kByPackets) return "collbench_two_shot_packets";
      if (way == kBySlots) return "collbench_two_shot_slots";
      return way == kByWords ? "collbench_two_shot_words" : "collbench_two_shot_elements";
    case kReduceScatter:
      if (way == kByPackets) return "collbench_scatter_packets";
      return way == kByWords ? "collbench_scatter_words" : "collbench_scatter_elements";
    default:
      if (way == kByPackets) return "collbench_move_packets";
      if (way == kByQuads) return "collbench_move_quads";
      return way == kByWords ? "collbench_move_words" : "collbench_move_elements";
  }
}

bool is_reduced(DirectShape shape) { return shape <= kReduceScatter; }

/// Returns the method of the plan, but with shorter words if the buffers are not aligned to 16 bytes.
/// @param width bytes per element @param places addresses (and lengths) of the buffers combined by OR, whose
/// low bits show their alignment
StoreMethod way_of(const StorePlan& plan, std::size_t width, u64 places) {
  if (plan.way == kByPackets || places % sizeof(Wide) == 0) return plan.way;
  return !is_reduced(plan.shape) && width % sizeof(u32) == 0 && places % sizeof(u32) == 0 ? kByQuads
                                                                                          : kByElements;
}

u64 shares(u64 all, u64 each) { return (all + each - 1) / each; }

}  // namespace

StoreCollectives::StoreCollectives(cuda::Device& device, cuda::Computations& computations, Windows& windows,
                                   int rank, int ranks, std::size_t first_window, DirectCounters* counters,
                                   DirectMailbox* mailbox)
    : device_(device),
      computations_(computations),
      windows_(windows),
      rank_(rank),
      ranks_(ranks),
      first_window_(first_window),
      counters_(counters),
      mailbox_(mailbox) {}

void StoreCollectives::make(Region& region, std::size_t window, std::size_t bytes) {
  device_.drain();
  windows_.drop(window);
  region = Region();
  region.memory = cuda::DeviceMemory(device_.driver(), shares(bytes, kGranularity) * kGranularity);
  region.at = windows_.expose(window, region.memory.data(), region.memory.bytes());
}

StoreArgs StoreCollectives::args_of(const Operation& operation, StorePlan& plan,
                                    const CallAddresses& reached) const {
  const auto own = static_cast<std::size_t>(rank_);
  const auto ranks = static_cast<u64>(ranks_);
  const u64 width = size_of(operation.dtype);
  StoreArgs args{};
  args.count = operation.count;
  args.bytes = operation.count * width;
  // Parts begin at multiples of their bytes, except those of a vector.
  u64 places = reached.sends[own] | reached.results[own];
  if (plan.shape != kTwoShot) places |= args.bytes;
  plan.way = way_of(plan, width, places);
  args.shape = plan.shape;
  args.way = plan.way;
  args.type = is_reduced(plan.shape) ? static_cast<u32>(operation.dtype) : kUint8;
  args.op = is_reduced(plan.shape) ? static_cast<u32>(operation.op) : kSum;
  args.rank = static_cast<u32>(rank_);
  args.ranks = static_cast<u32>(ranks_);
  args.root = static_cast<u32>(operation.root);
  args.blocks = plan.blocks;
  args.workers = plan.threads;
  switch (plan.way) {
    case kByPackets:
      args.units = shares(args.bytes, kPacketBytes / 2);
      break;
    case kByQuads:
      args.units = args.bytes / sizeof(u32);
      break;
    case kByElements:
      args.units = is_reduced(plan.shape) ? args.count : args.bytes;
      break;
    default:
      args.units = args.bytes / sizeof(Wide);
  }
  args.per_part = plan.shape == kTwoShot ? shares(args.units, ranks) : args.units;
  args.per_block = shares(args.per_part, args.blocks);
  args.places = places_of(ranks_);
  args.epoch = epoch_;
  args.counters = counters_;
  args.mailbox = mailbox_;
  if (plan.way == kBySlots) {
    args.slot_bytes = plan.piece_bytes;
    args.pieces = shares(args.per_block * sizeof(Wide), plan.piece_bytes);
    args.pieces_before = pieces_;
  }
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
    args.progress_flags[r] = progress_flags_.at[r].address;
    if (!slots_.at.empty()) args.slots[r] = slots_.at[r].address;
    args.sends[r] = reached.sends[r];
    args.results[r] = reached.results[r];
  }
  return args;
}

void StoreCollectives::queue(const Operation& operation, const StorePlan& plan,
                             const CallAddresses& reached) {
  constexpr std::size_t kTurns = 2;
  // A packet's flag is the lower half of the operation's number, so it must not repeat in the packet memory.
  const bool is_worn = epoch_ != 0 && (epoch_ + 1) % (u64{1} << 32) == 0;
  if (is_worn) ++epoch_;
  if (progress_flags_.at.empty() || is_worn)
    make(progress_flags_, first_window_, kProgressFlagBytes + kTurns * kHops * kPacketRegion);
  if (plan.way == kBySlots && slots_.at.empty()) make(slots_, first_window_ + 1, kSlotRegion);
  ++epoch_;
  StorePlan final_plan = plan;
  const StoreArgs args = args_of(operation, final_plan, reached);
  pieces_ += args.pieces;
  const Computation stores{source_of(KernelText::kStores, args.type, args.op),
                           kernel_of(final_plan.shape, final_plan.way), sizeof args, run_stores};
  computations_.launch(stores, &args, cuda::Grid{plan.blocks, plan.threads, plan.overlaps});
}

}  // namespace collbench::gpu
