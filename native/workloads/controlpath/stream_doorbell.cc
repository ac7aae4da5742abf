#include "workloads/controlpath/stream_doorbell.h"

namespace collbench::controlpath {

using ibgda::u32;

void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, u32 end) {
  device.store_word(view.record + mlx5::kDoorbellSend / sizeof(u32), ibgda::doorbell_record(end));
  device.store_long_word(view.bell, ibgda::put_doorbell(view, end));
}

/// Waits by a bit of the completion entry (the owner bit), whose value alternates each time the completion
/// ring begins again.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, u32 taken) {
  const u32 place = taken & ((1U << view.log_entries) - 1);
  constexpr u32 kWord = mlx5::kEntryOwner & ~3U;
  constexpr u32 kOwnerBit = 1U << (8 * (mlx5::kEntryOwner - kWord));
  device.await_bit(view.entries + std::size_t{place} * mlx5::kEntryBytes + kWord, kOwnerBit,
                   (taken >> view.log_entries & 1U) != 0);
}

}  // namespace collbench::controlpath
