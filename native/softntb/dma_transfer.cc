#include "softntb/dma_transfer.h"

#include <algorithm>
#include <cstring>

#include "core/clock.h"
#include "softntb/local_segment.h"
#include "softntb/registered_memory.h"
#include "softntb/remote_segment.h"

namespace collbench::softntb {

void DmaTransfer::begin(AdapterLink& link) {
  total_ = moved_ = piece_ = piece_moved_ = 0;
  for (const DmaPiece& piece : pieces) total_ += piece.bytes;
  const LinkModel& model = session->model;
  slot_ = {};
  if (model.paced()) {
    slot_ =
        (read ? link.incoming : link.outgoing).reserve(now_ns() + model.dma_start_ns, model.wire_ns(total_));
  }
  const bool through_iommu =
      (local_segment != nullptr && local_segment->registered()) || remote_segment->user_memory;
  silent_ = session->faults->no_iommu && through_iommu;
  flip_ = session->faults->bit_flip.strike();
  if (local_segment != nullptr) local_segment->transfers.fetch_add(1, std::memory_order_relaxed);
  remote_segment->transfers.fetch_add(1, std::memory_order_relaxed);
}

void DmaTransfer::end() {
  if (local_segment != nullptr) local_segment->transfers.fetch_sub(1, std::memory_order_relaxed);
  remote_segment->transfers.fetch_sub(1, std::memory_order_relaxed);
}

DmaStep DmaTransfer::step() {
  if (remote_segment->lost.load(std::memory_order_relaxed)) return DmaStep::kFailed;
  std::size_t arrived = total_;
  if (slot_.end_ns != 0) arrived = arrived_bytes(slot_, total_, now_ns());
  const std::size_t bytes = std::min(arrived - moved_, kStepBytes);
  // Crumbs would make polling costlier than copying.
  if (bytes < kStepBytes / 4 && arrived != total_) {
    return session->link_down(0) ? DmaStep::kFailed : DmaStep::kMore;
  }
  if (session->link_down(bytes) || !move(bytes)) return DmaStep::kFailed;
  if (moved_ < total_ || arrived < total_) return DmaStep::kMore;
  if (flip_ && !silent_ && !flip_one_bit()) return DmaStep::kFailed;
  return DmaStep::kDone;
}

bool DmaTransfer::move(std::size_t bytes) {
  moved_ += bytes;
  while (bytes > 0) {
    const DmaPiece& piece = pieces[piece_];
    const std::size_t part = std::min(bytes, piece.bytes - piece_moved_);
    if (!silent_ && !copy(piece, piece_moved_, part)) return false;
    piece_moved_ += part;
    bytes -= part;
    if (piece_moved_ == piece.bytes) {
      ++piece_;
      piece_moved_ = 0;
    }
  }
  return true;
}

bool DmaTransfer::copy(const DmaPiece& piece, std::size_t at, std::size_t bytes) const {
  std::byte* here = local + piece.local_offset + at;
  const std::size_t offset = piece.remote_offset + at;
  if (remote != nullptr) {
    std::memcpy(read ? here : remote + offset, read ? remote + offset : here, bytes);
    return true;
  }
  return read ? copy_from_process(owner, remote_address + offset, here, bytes)
              : copy_to_process(owner, remote_address + offset, here, bytes);
}

bool DmaTransfer::flip_one_bit() const {
  std::size_t position = total_ / 2;
  for (const DmaPiece& piece : pieces) {
    if (position >= piece.bytes) {
      position -= piece.bytes;
      continue;
    }
    constexpr std::byte kBit{0x10};
    if (read) {
      local[piece.local_offset + position] ^= kBit;
      return true;
    }
    const std::size_t offset = piece.remote_offset + position;
    const std::byte wrong = local[piece.local_offset + position] ^ kBit;
    if (remote == nullptr) return copy_to_process(owner, remote_address + offset, &wrong, 1);
    remote[offset] = wrong;
    return true;
  }
  return true;
}

}  // namespace collbench::softntb
