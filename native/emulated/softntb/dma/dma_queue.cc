// DMA queues with one transfer at a time each. A small transfer moves while its queue is polled
// (SCIDMAQueueState, SCIWaitForDMAQueue), in the polling thread. A large one is given to the engines at the
// start and, with a link model, at each poll. A library thread polls transfers that have a callback.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "core/clock.h"
#include "core/spin.h"
#include "emulated/softntb/dma/dma_transfer.h"
#include "emulated/softntb/local_segment.h"
#include "emulated/softntb/remote_segment.h"
#include "emulated/softntb/threads.h"

using namespace collbench::softntb;

struct sci_dma_queue {
  sci_desc_t desc = nullptr;
  unsigned adapter = 0;
  std::atomic<sci_dma_queue_state_t> state{SCI_DMAQUEUE_IDLE};
  std::atomic<bool> driven{false};
  std::mutex mutex;  // guards the members below
  DmaTransfer transfer;
  sci_cb_dma_t callback = nullptr;
  void* callback_arg = nullptr;

  void finish(sci_dma_queue_state_t how, sci_error_t status);  // caller holds `mutex`
  sci_dma_queue_state_t advance();                             // caller holds `mutex`
};

struct sci_dma_channel {
  sci_desc_t desc = nullptr;
};

void sci_dma_queue::finish(sci_dma_queue_state_t how, sci_error_t status) {
  transfer.end();
  state.store(how, std::memory_order_release);
  if (!driven.load(std::memory_order_relaxed)) return;
  threads().callbacks.post(this, [this, status, run = callback, arg = callback_arg] {
    run(arg, this, status);
    return true;
  });
}

sci_dma_queue_state_t sci_dma_queue::advance() {
  if (state.load(std::memory_order_relaxed) != SCI_DMAQUEUE_POSTED)
    return state.load(std::memory_order_relaxed);
  const DmaStep step = transfer.step();
  if (step == DmaStep::kDone) finish(SCI_DMAQUEUE_DONE, SCI_ERR_OK);
  if (step == DmaStep::kFailed) {
    // A caller that sees an error may free the buffers of other transfers too, without ending those first.
    if (transfer.uses_engines()) threads().engines.drain();
    finish(SCI_DMAQUEUE_ERROR, SCI_ERR_TRANSFER_FAILED);
  }
  return state.load(std::memory_order_relaxed);
}

namespace {

constexpr unsigned kStartFlags = SCI_FLAG_USE_CALLBACK | SCI_FLAG_DMA_POST | SCI_FLAG_DMA_WAIT |
                                 SCI_FLAG_DMA_READ | SCI_FLAG_DMA_PHDMA | SCI_FLAG_DMA_GLOBAL |
                                 SCI_FLAG_DMA_SYSDMA | SCI_FLAG_DMA_USER_MEM | SCI_FLAG_DMA_ADAPTER;

/// Polls until the transfer has ended, with success or with an error.
/// @param timeout_ms milliseconds; SCI_INFINITE_TIMEOUT = no limit
/// @returns false if the time limit ended first
bool poll_until_done(sci_dma_queue_t queue, unsigned timeout_ms) {
  const bool limited = timeout_ms != SCI_INFINITE_TIMEOUT;
  const std::int64_t deadline = limited ? collbench::now_ns() + std::int64_t{timeout_ms} * 1'000'000 : 0;
  collbench::Spinner spinner(1'000);
  while (SCIDMAQueueState(queue) == SCI_DMAQUEUE_POSTED) {
    if (limited && collbench::now_ns() >= deadline) return false;
    spinner.step();
  }
  return true;
}

struct StartOptions {
  sci_cb_dma_t callback;
  void* callback_arg;
  unsigned flags;
};

/// Common part of the three functions that start a transfer.
/// @param local segment with the local memory; nullptr: `user_address` is ordinary memory of the caller
/// @param fill_pieces function that checks the pieces and appends them to the queue's empty list
template <class FillPieces>
sci_error_t start(sci_dma_queue_t queue, sci_local_segment_t local, void* user_address,
                  sci_remote_segment_t remote, const StartOptions& options, FillPieces fill_pieces) {
  if (queue == nullptr || remote == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (local == nullptr && user_address == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if ((options.flags & ~kStartFlags) != 0) return SCI_ERR_ILLEGAL_FLAG;
  const bool wants_callback = (options.flags & SCI_FLAG_USE_CALLBACK) != 0;
  const bool waits = (options.flags & SCI_FLAG_DMA_WAIT) != 0;
  if (wants_callback && waits) return SCI_ERR_ILLEGAL_FLAG;
  if (wants_callback != (options.callback != nullptr)) return SCI_ERR_ILLEGAL_PARAMETER;
  if (local != nullptr &&
      local->state.load(std::memory_order_relaxed) == sci_local_segment::State::kCreated) {
    return SCI_ERR_SEGMENT_NOT_PREPARED;
  }
  if (remote->lost.load(std::memory_order_relaxed)) return SCI_ERR_SEGMENT_NOT_CONNECTED;
  {
    const std::lock_guard lock(queue->mutex);
    // Hardware would have made progress without being polled.
    if (queue->advance() == SCI_DMAQUEUE_POSTED) return SCI_ERR_BUSY;
    DmaTransfer& transfer = queue->transfer;
    transfer.session = queue->desc->session.get();
    transfer.local_segment = local;
    transfer.remote_segment = remote;
    transfer.read = (options.flags & SCI_FLAG_DMA_READ) != 0;
    transfer.local = local != nullptr ? local->base() : static_cast<std::byte*>(user_address);
    transfer.owner = remote->owner;
    transfer.remote_address = remote->address;
    // Registered memory of this same process is treated like a peer's: ranks as threads and ranks as
    // processes must show the same times.
    transfer.remote = remote->user_memory ? nullptr : remote->memory.map();
    if (transfer.local == nullptr || (!remote->user_memory && transfer.remote == nullptr))
      return SCI_ERR_SYSTEM;
    transfer.pieces.clear();
    const sci_error_t status = fill_pieces(transfer.pieces);
    if (status != SCI_ERR_OK) return status;
    for (const DmaPiece& piece : transfer.pieces) {
      if (piece.bytes == 0 || piece.bytes > kTransferLimit) return SCI_ERR_OUT_OF_RANGE;
      if (local != nullptr &&
          (piece.local_offset > local->size || piece.bytes > local->size - piece.local_offset)) {
        return SCI_ERR_OUT_OF_RANGE;
      }
      if (piece.remote_offset > remote->size || piece.bytes > remote->size - piece.remote_offset) {
        return SCI_ERR_OUT_OF_RANGE;
      }
    }
    transfer.begin(queue->adapter);
    queue->callback = options.callback;
    queue->callback_arg = options.callback_arg;
    queue->driven.store(wants_callback, std::memory_order_relaxed);
    queue->state.store(SCI_DMAQUEUE_POSTED, std::memory_order_release);
    if (transfer.uses_engines()) transfer.feed_engines();
  }
  if (wants_callback) {
    threads().dma.post(queue, [queue] {
      const std::lock_guard lock(queue->mutex);
      return queue->advance() != SCI_DMAQUEUE_POSTED;
    });
  }
  if (waits) {
    poll_until_done(queue, SCI_INFINITE_TIMEOUT);
    if (queue->state.load() != SCI_DMAQUEUE_DONE) return SCI_ERR_TRANSFER_FAILED;
  }
  return SCI_ERR_OK;
}

}  // namespace

extern "C" {

void SCICreateDMAQueue(sci_desc_t sd, sci_dma_queue_t* queue, unsigned int localAdapterNo,
                       unsigned int maxEntries, unsigned int flags, sci_error_t* error) {
  if (sd == nullptr || queue == nullptr || maxEntries == 0) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  const sci_error_t status = sd->session->use_adapter(localAdapterNo);
  if (status != SCI_ERR_OK) return report(error, status);
  auto fresh = std::make_unique<sci_dma_queue>();
  fresh->desc = sd;
  fresh->adapter = localAdapterNo;
  fresh->transfer.pieces.reserve(1);
  sd->users.fetch_add(1);
  *queue = fresh.release();
  report(error, SCI_ERR_OK);
}

void SCIRemoveDMAQueue(sci_dma_queue_t queue, unsigned int flags, sci_error_t* error) {
  if (queue == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  if (SCIDMAQueueState(queue) == SCI_DMAQUEUE_POSTED) return report(error, SCI_ERR_ILLEGAL_OPERATION);
  threads().dma.drop(queue);
  threads().callbacks.drop(queue);
  queue->desc->users.fetch_sub(1);
  delete queue;
  report(error, SCI_ERR_OK);
}

void SCIStartDmaTransfer(sci_dma_queue_t queue, sci_local_segment_t localSegment,
                         sci_remote_segment_t remoteSegment, size_t localOffset, size_t size,
                         size_t remoteOffset, sci_cb_dma_t callback, void* callbackArg, unsigned int flags,
                         sci_error_t* error) {
  if (localSegment == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  report(error, start(queue, localSegment, nullptr, remoteSegment, {callback, callbackArg, flags},
                      [&](auto& pieces) {
                        pieces.push_back({localOffset, remoteOffset, size});
                        return SCI_ERR_OK;
                      }));
}

void SCIStartDmaTransferMem(sci_dma_queue_t queue, void* localAddress, sci_remote_segment_t remoteSegment,
                            size_t size, size_t remoteOffset, sci_cb_dma_t callback, void* callbackArg,
                            unsigned int flags, sci_error_t* error) {
  report(error, start(queue, nullptr, localAddress, remoteSegment, {callback, callbackArg, flags},
                      [&](auto& pieces) {
                        pieces.push_back({0, remoteOffset, size});
                        return SCI_ERR_OK;
                      }));
}

void SCIStartDmaTransferVec(sci_dma_queue_t queue, sci_local_segment_t localSegment,
                            sci_remote_segment_t remoteSegment, size_t vectorLength, dis_dma_vec_t* vector,
                            sci_cb_dma_t callback, void* callbackArg, unsigned int flags,
                            sci_error_t* error) {
  if (localSegment == nullptr || vector == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  report(error, start(queue, localSegment, nullptr, remoteSegment, {callback, callbackArg, flags},
                      [&](auto& pieces) {
                        if (vectorLength == 0 || vectorLength > kVectorLimit) return SCI_ERR_OUT_OF_RANGE;
                        for (size_t i = 0; i < vectorLength; ++i) {
                          if (vector[i].flags != 0) return SCI_ERR_ILLEGAL_FLAG;
                          pieces.push_back({vector[i].local_offset, vector[i].remote_offset, vector[i].size});
                        }
                        return SCI_ERR_OK;
                      }));
}

sci_dma_queue_state_t SCIDMAQueueState(sci_dma_queue_t queue) {
  if (queue == nullptr) return SCI_DMAQUEUE_ERROR;
  const sci_dma_queue_state_t seen = queue->state.load(std::memory_order_acquire);
  if (seen != SCI_DMAQUEUE_POSTED || queue->driven.load(std::memory_order_relaxed)) return seen;
  const std::lock_guard lock(queue->mutex);
  return queue->advance();
}

void SCIAbortDMAQueue(sci_dma_queue_t queue, unsigned int flags, sci_error_t* error) {
  if (queue == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  const std::lock_guard lock(queue->mutex);
  if (queue->state.load() == SCI_DMAQUEUE_POSTED) {
    queue->transfer.abandon();
    queue->finish(SCI_DMAQUEUE_ABORTED, SCI_ERR_CANCELLED);
  }
  report(error, SCI_ERR_OK);
}

sci_dma_queue_state_t SCIWaitForDMAQueue(sci_dma_queue_t queue, unsigned int timeout, unsigned int flags,
                                         sci_error_t* error) {
  if (queue == nullptr || flags != 0) {
    report(error, queue == nullptr ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_ILLEGAL_FLAG);
    return SCI_DMAQUEUE_ERROR;
  }
  const bool ended = poll_until_done(queue, timeout);
  const sci_dma_queue_state_t state = queue->state.load();
  if (!ended) {
    report(error, SCI_ERR_TIMEOUT);
  } else if (state == SCI_DMAQUEUE_ERROR) {
    report(error, SCI_ERR_TRANSFER_FAILED);
  } else {
    report(error, state == SCI_DMAQUEUE_ABORTED ? SCI_ERR_CANCELLED : SCI_ERR_OK);
  }
  return state;
}

// Channels exist for callers that request one; every channel stands for the same adapter.
void SCIRequestDMAChannel(sci_desc_t sd, sci_dma_channel_t* channel, unsigned int localAdapterNo,
                          sci_dma_type_t, unsigned int, unsigned int flags, sci_error_t* error) {
  if (sd == nullptr || channel == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if ((flags & ~SCI_FLAG_DMA_CHANNEL_SHARED) != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  if (localAdapterNo >= kAdapters) return report(error, SCI_ERR_NO_SUCH_ADAPTERNO);
  sd->users.fetch_add(1);
  *channel = new sci_dma_channel{sd};
  report(error, SCI_ERR_OK);
}

void SCIReturnDMAChannel(sci_dma_channel_t channel, sci_error_t* error) {
  if (channel == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  channel->desc->users.fetch_sub(1);
  delete channel;
  report(error, SCI_ERR_OK);
}

void SCIAssignDMAChannel(sci_dma_channel_t channel, sci_dma_queue_t queue, unsigned int, sci_error_t* error) {
  report(error, channel == nullptr || queue == nullptr ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_OK);
}

void SCIPrepareLocalSegmentForDMA(sci_dma_channel_t channel, sci_local_segment_t segment, unsigned int,
                                  sci_error_t* error) {
  report(error, channel == nullptr || segment == nullptr ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_OK);
}

void SCIPrepareRemoteSegmentForDMA(sci_dma_channel_t channel, sci_remote_segment_t segment, unsigned int,
                                   sci_error_t* error) {
  report(error, channel == nullptr || segment == nullptr ? SCI_ERR_ILLEGAL_PARAMETER : SCI_ERR_OK);
}

}  // extern "C"
