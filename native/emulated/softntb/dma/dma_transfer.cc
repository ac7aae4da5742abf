#include "emulated/softntb/dma/dma_transfer.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/clock.h"
#include "core/process_memory.h"
#include "core/shared_memory.h"
#include "emulated/softntb/dma/engines.h"
#include "emulated/softntb/local_segment.h"
#include "emulated/softntb/remote_segment.h"
#include "emulated/softntb/threads.h"

namespace collbench::softntb {

void DmaTransfer::begin(unsigned adapter) {
  total_ = moved_ = piece_ = piece_moved_ = 0;
  for (const DmaPiece& piece : pieces) total_ += piece.bytes;
  const LinkModel& model = session->model;
  slice_end_ = 0;
  near_link_ = far_link_ = nullptr;
  if (model.paced()) {
    AdapterLink& near = (*session->links)[adapter];
    AdapterLink* far = remote_segment->link;
    near_link_ = read ? &near.incoming : &near.outgoing;
    if (far != nullptr) far_link_ = read ? &far->outgoing : &far->incoming;
    slot_.end_ns = now_ns() + model.dma_start_ns;
    is_far_ = true;
  }
  const bool through_iommu =
      (local_segment != nullptr && local_segment->registered()) || remote_segment->user_memory;
  silent_ = session->faults->no_iommu && through_iommu;
  flip_ = session->faults->bit_flip.strike();
  swap_ = session->faults->swapped_halves.strike();
  engines_ = total_ >= kEngineBytes && !silent_ ? session->engines() : 0;
  slice_bytes_ = WorkerPool::slice_bytes(total_, engines_);
  stopped_ = false;
  cancelled_.store(false, std::memory_order_relaxed);
  if (local_segment != nullptr) local_segment->transfers.fetch_add(1, std::memory_order_relaxed);
  remote_segment->transfers.fetch_add(1, std::memory_order_relaxed);
}

void DmaTransfer::end() {
  if (local_segment != nullptr) local_segment->transfers.fetch_sub(1, std::memory_order_relaxed);
  remote_segment->transfers.fetch_sub(1, std::memory_order_relaxed);
}

/// Returns how many bytes have arrived by now, by the emulated link's bandwidth. When a slice has arrived,
/// reserves the local adapter's link for the next one, and the remote adapter's link once the slice has the
/// local one. If the remote link were reserved earlier, a slice that still waits for the local one would
/// block other adapters there.
std::size_t DmaTransfer::arrived() {
  if (near_link_ == nullptr) return total_;
  const std::int64_t now = now_ns();
  for (;;) {
    const std::size_t slice = std::min<std::size_t>(total_ - slice_end_, softcard::kWireSliceBytes);
    if (!is_far_ && now >= slot_.begin_ns) {
      slot_ = far_link_->reserve(slot_.begin_ns, slot_.end_ns - slot_.begin_ns);
      is_far_ = true;
    }
    if (!is_far_ || now < slot_.end_ns || slice == 0) break;
    slot_ = near_link_->reserve(slot_.end_ns, session->model.wire_ns(slice));
    slice_end_ += slice;
    is_far_ = far_link_ == nullptr;
  }
  if (slice_end_ == 0) return 0;
  const std::size_t slice_begin = (slice_end_ - 1) / softcard::kWireSliceBytes * softcard::kWireSliceBytes;
  return slice_begin + (is_far_ ? arrived_bytes(slot_, slice_end_ - slice_begin, now) : 0);
}

/// Determines whether the next step can move bytes.
/// @param bytes receives how many, at most kStepBytes
/// @returns kBytes; kNothing if, by the link model, too few have arrived to be worth a step; kFailed if the
/// remote segment is lost or the link is down
DmaTransfer::StepReadiness DmaTransfer::ready(std::size_t* bytes) {
  if (remote_segment->lost.load(std::memory_order_relaxed)) return StepReadiness::kFailed;
  const std::size_t arrived = this->arrived();
  *bytes = std::min(arrived - moved_, kStepBytes);
  // Very small pieces would make polling cost more than copying.
  if (*bytes < kStepBytes / 4 && arrived != total_)
    return session->link_down(0) ? StepReadiness::kFailed : StepReadiness::kNothing;
  return session->link_down(*bytes) ? StepReadiness::kFailed : StepReadiness::kBytes;
}

void DmaTransfer::feed_engines() {
  while (!stopped_ && moved_ < total_) {
    std::size_t bytes = 0;
    const StepReadiness what = ready(&bytes);
    if (what == StepReadiness::kNothing) return;
    stopped_ = what == StepReadiness::kFailed || cancelled_.load(std::memory_order_relaxed) || !move(bytes);
  }
}

DmaStep DmaTransfer::step() {
  if (uses_engines()) {
    feed_engines();
    if (open_.load(std::memory_order_acquire) != 0) threads().engines.help();
    if (open_.load(std::memory_order_acquire) != 0) return DmaStep::kMore;
    if (stopped_ || cancelled_.load(std::memory_order_relaxed) ||
        remote_segment->lost.load(std::memory_order_relaxed))
      return DmaStep::kFailed;
  } else {
    std::size_t bytes = 0;
    const StepReadiness what = ready(&bytes);
    if (what == StepReadiness::kNothing) return DmaStep::kMore;
    if (what == StepReadiness::kFailed || !move(bytes)) return DmaStep::kFailed;
  }
  if (moved_ < total_) return DmaStep::kMore;
  if (flip_ && !silent_ && !flip_one_bit()) return DmaStep::kFailed;
  if (swap_ && !silent_ && !swap_halves()) return DmaStep::kFailed;
  return DmaStep::kDone;
}

void DmaTransfer::abandon() {
  cancelled_.store(true, std::memory_order_relaxed);
  threads().engines.finish(open_);
}

bool DmaTransfer::move(std::size_t bytes) {
  moved_ += bytes;
  while (bytes > 0) {
    const DmaPiece& piece = pieces[piece_];
    const std::size_t part = std::min(bytes, piece.bytes - piece_moved_);
    if (!silent_ && !copy_piece(piece_, piece_moved_, part)) return false;
    piece_moved_ += part;
    bytes -= part;
    if (piece_moved_ == piece.bytes) {
      ++piece_;
      piece_moved_ = 0;
    }
  }
  return true;
}

/// Copies a part of one piece, or hands it to the engine threads.
/// @param at offset of the part in the piece
/// @returns false if the copy failed; a failure of an engine thread sets `cancelled_` later
bool DmaTransfer::copy_piece(std::size_t piece, std::size_t at, std::size_t bytes) {
  if (!uses_engines()) return copy(pieces[piece], at, bytes);
  for (const std::size_t end = at + bytes; at < end; at += slice_bytes_) {
    const std::size_t slice = std::min(slice_bytes_, end - at);
    threads().engines.submit({copy_slice, this, {piece, at, slice}, &open_}, engines_);
  }
  return true;
}

void DmaTransfer::copy_slice(void* owner, const std::array<std::uint64_t, 3>& what) noexcept {
  auto* transfer = static_cast<DmaTransfer*>(owner);
  if (transfer->cancelled_.load(std::memory_order_relaxed)) return;
  if (!transfer->copy(transfer->pieces[what[0]], what[1], what[2]))
    transfer->cancelled_.store(true, std::memory_order_relaxed);
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

/// Exchanges the halves of the first piece where it arrived, so that all bytes are there in wrong places.
bool DmaTransfer::swap_halves() const {
  const DmaPiece& piece = pieces.front();
  const std::size_t half = piece.bytes / 2;
  std::byte* first = local + piece.local_offset;
  std::byte* second = first + half;
  if (read) {
    std::swap_ranges(first, second, second);
    return true;
  }
  if (remote != nullptr) {
    std::memcpy(remote + piece.remote_offset, second, half);
    std::memcpy(remote + piece.remote_offset + half, first, half);
    return true;
  }
  const std::uint64_t at = remote_address + piece.remote_offset;
  return copy_to_process(owner, at, second, half) && copy_to_process(owner, at + half, first, half);
}

sci_error_t check_user_memory(void* address, std::size_t size) {
  using namespace ipc;
  if (reinterpret_cast<std::uintptr_t>(address) % whole_pages(1) != 0) return SCI_ERR_OFFSET_ALIGNMENT;
  if (size != whole_pages(size)) return SCI_ERR_SIZE_ALIGNMENT;
  // mincore() returns ENOMEM for a hole. The range is checked in steps, so that the result array stays small.
  std::array<unsigned char, 4096> present;
  const std::size_t step = present.size() * whole_pages(1);
  auto* at = static_cast<std::byte*>(address);
  for (std::size_t done = 0; done < size; done += step) {
    if (mincore(at + done, std::min(step, size - done), present.data()) != 0) return SCI_ERR_ILLEGAL_ADDRESS;
  }
  return processes_can_copy() ? SCI_ERR_OK : SCI_ERR_NOT_SUPPORTED;
}

}  // namespace collbench::softntb
