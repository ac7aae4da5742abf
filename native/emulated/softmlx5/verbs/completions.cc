// Completion queues: creation, and reading of entries as in the real library.
#include <algorithm>
#include <bit>
#include <cerrno>

#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::verbs {
namespace {

using namespace rdma;

ibv_wc_status status_of(std::uint8_t syndrome) {
  switch (syndrome) {
    case mlx5::kLocalLength:
      return IBV_WC_LOC_LEN_ERR;
    case mlx5::kLocalQueueOperation:
      return IBV_WC_LOC_QP_OP_ERR;
    case mlx5::kLocalProtection:
      return IBV_WC_LOC_PROT_ERR;
    case mlx5::kFlushed:
      return IBV_WC_WR_FLUSH_ERR;
    case mlx5::kBadResponse:
      return IBV_WC_BAD_RESP_ERR;
    case mlx5::kLocalAccess:
      return IBV_WC_LOC_ACCESS_ERR;
    case mlx5::kRemoteInvalidRequest:
      return IBV_WC_REM_INV_REQ_ERR;
    case mlx5::kRemoteAccess:
      return IBV_WC_REM_ACCESS_ERR;
    case mlx5::kRemoteOperation:
      return IBV_WC_REM_OP_ERR;
    case mlx5::kTransportRetries:
      return IBV_WC_RETRY_EXC_ERR;
    case mlx5::kReceiverNotReadyRetries:
      return IBV_WC_RNR_RETRY_EXC_ERR;
    case mlx5::kRemoteAborted:
      return IBV_WC_REM_ABORT_ERR;
    default:
      return IBV_WC_GENERAL_ERR;
  }
}

void describe_request(std::uint8_t work_opcode, std::uint32_t bytes, ibv_wc* wc) {
  switch (work_opcode) {
    case mlx5::kWrite:
      wc->opcode = IBV_WC_RDMA_WRITE;
      break;
    case mlx5::kWriteImmediate:
      wc->opcode = IBV_WC_RDMA_WRITE;
      wc->wc_flags = IBV_WC_WITH_IMM;
      break;
    case mlx5::kSendImmediate:
      wc->wc_flags = IBV_WC_WITH_IMM;
      [[fallthrough]];
    case mlx5::kSend:
      wc->opcode = IBV_WC_SEND;
      break;
    case mlx5::kRead:
      wc->opcode = IBV_WC_RDMA_READ;
      wc->byte_len = bytes;
      break;
    case mlx5::kCompareSwap:
    case mlx5::kMaskedCompareSwap:
      wc->opcode = IBV_WC_COMP_SWAP;
      wc->byte_len = 8;
      break;
    case mlx5::kFetchAdd:
    case mlx5::kMaskedFetchAdd:
      wc->opcode = IBV_WC_FETCH_ADD;
      wc->byte_len = 8;
      break;
    default:
      break;
  }
}

std::uint64_t finish_receive(QueuePair& queue, std::uint16_t slot) {
  if (queue.srq != nullptr) {
    SharedReceiveQueue& shared = of(queue.srq);
    const std::lock_guard lock(shared.lock);
    return shared.slots.release(slot);
  }
  const std::lock_guard lock(queue.receive_lock);
  return queue.receives.release(slot);
}

std::uint64_t finish_request(QueuePair& queue, std::uint16_t counter) {
  if (queue.ids.empty()) return 0;
  const std::size_t block = counter & (queue.ids.size() - 1);
  queue.tail.store(queue.heads[block] + 1, std::memory_order_release);
  return queue.ids[block];
}

/// Returns the oldest unread completion queue entry; nullptr if the emulated adapter has not written one.
const std::byte* next_entry(const CompletionQueue& cq) {
  const std::uint32_t mask = (1U << cq.log_entries) - 1;
  const std::byte* entry = cq.ring.get() + std::size_t{cq.consumed & mask} * mlx5::kEntryBytes;
  constexpr std::uint32_t kLastWord = mlx5::kEntryBytes - sizeof(std::uint64_t);
  const std::uint64_t last = shared_word<std::uint64_t>(entry + kLastWord).load(std::memory_order_acquire);
  const auto owner = static_cast<std::uint8_t>(last >> 56);
  const bool is_new = owner >> 4 != mlx5::kEntryInvalid && (owner & 1) == (cq.consumed >> cq.log_entries & 1);
  return is_new ? entry : nullptr;
}

/// Converts a completion entry for ibv_poll_cq(). False if no queue pair has the number in the entry: it was
/// destroyed, or forget_entries() has marked the entry. The caller then skips the entry.
bool read_entry(CompletionQueue& cq, const std::byte* entry, ibv_wc* wc) {
  const std::uint32_t word = load32(entry + mlx5::kEntryQueue);
  const auto found = cq.queues.find(word & 0xffffff);
  if (found == cq.queues.end()) return false;
  QueuePair& queue = *found->second;
  const auto opcode = static_cast<std::uint8_t>(entry[mlx5::kEntryOwner]) >> 4;
  const std::uint16_t counter = load16(entry + mlx5::kEntryCounter);
  const std::uint32_t bytes = load32(entry + mlx5::kEntryByteCount);
  *wc = {};
  wc->qp_num = queue.qp_num;
  const auto syndrome = static_cast<std::uint8_t>(entry[mlx5::kEntrySyndrome]);
  switch (opcode) {
    case mlx5::kEntryRequest:
      describe_request(static_cast<std::uint8_t>(word >> 24), bytes, wc);
      wc->wr_id = finish_request(queue, counter);
      break;
    case mlx5::kEntryRequestError:
      wc->wr_id = finish_request(queue, counter);
      wc->status = status_of(syndrome);
      wc->vendor_err = static_cast<std::uint8_t>(entry[mlx5::kEntryVendorSyndrome]);
      break;
    case mlx5::kEntryReceiveError:
      wc->wr_id = finish_receive(queue, counter);
      wc->opcode = IBV_WC_RECV;
      wc->status = status_of(syndrome);
      wc->vendor_err = static_cast<std::uint8_t>(entry[mlx5::kEntryVendorSyndrome]);
      break;
    default:
      wc->wr_id = finish_receive(queue, counter);
      wc->byte_len = bytes;
      wc->opcode = opcode == mlx5::kEntryReceivedWriteImmediate ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
      if (opcode != mlx5::kEntryReceivedSend) {
        wc->wc_flags = IBV_WC_WITH_IMM;
        wc->imm_data = swapped(load32(entry + mlx5::kEntryImmediate));
      }
      break;
  }
  return true;
}

}  // namespace

void forget_entries(CompletionQueue& cq, std::uint32_t number) {
  const std::lock_guard lock(cq.lock);
  const auto found = cq.queues.find(number);
  if (found == cq.queues.end()) return;
  const std::uint32_t before = cq.consumed;
  for (const std::byte* entry = next_entry(cq); entry != nullptr; entry = next_entry(cq)) {
    ++cq.consumed;
    auto* at = const_cast<std::byte*>(entry);
    if ((load32(at + mlx5::kEntryQueue) & 0xffffff) != number) continue;
    ibv_wc ignored;
    read_entry(cq, at, &ignored);
    store_big(at + mlx5::kEntryQueue, std::uint32_t{0});  // no queue has this number, so poll skips the entry
    if (cq.consumed - before == 1U << cq.log_entries) break;
  }
  cq.consumed = before;
}

namespace api {

int poll_cq(ibv_cq* handle, int entries, ibv_wc* wc) {
  CompletionQueue& cq = of(handle);
  card_of(cq.context).progress();
  const std::lock_guard lock(cq.lock);
  const std::uint32_t before = cq.consumed;
  int count = 0;
  while (count < entries) {
    const std::byte* entry = next_entry(cq);
    if (entry == nullptr) break;
    ++cq.consumed;
    if (read_entry(cq, entry, wc + count)) ++count;
  }
  if (cq.consumed != before)
    shared_word<std::uint32_t>(cq.doorbell.get())
        .store(big32(cq.consumed & 0xffffff), std::memory_order_release);
  return count;
}

// No completion channels exist, so no thread waits for a notification. Programs that only poll
// (ibv_rc_pingpong) still link these functions; they exist and refuse.
int req_notify_cq(ibv_cq*, int) { return 0; }
ibv_comp_channel* ibv_create_comp_channel(ibv_context*) { return fail_with<ibv_comp_channel>(EOPNOTSUPP); }
int ibv_destroy_comp_channel(ibv_comp_channel*) { return fail(EINVAL); }
int ibv_get_cq_event(ibv_comp_channel*, ibv_cq**, void**) { return fail(EINVAL), -1; }
void ibv_ack_cq_events(ibv_cq*, unsigned int) {}

ibv_cq* ibv_create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                      int vector) {
  if (cqe < 1 || static_cast<std::uint32_t>(cqe) >= kMaxEntries || vector != 0)
    return fail_with<ibv_cq>(EINVAL);
  if (channel != nullptr) return fail_with<ibv_cq>(EOPNOTSUPP);
  auto cq = std::make_unique<CompletionQueue>();
  const std::uint32_t entries = std::bit_ceil(static_cast<std::uint32_t>(cqe) + 1);
  cq->context = context;
  cq->cq_context = cq_context;
  cq->cqe = static_cast<int>(entries) - 1;
  cq->log_entries = static_cast<unsigned>(std::countr_zero(entries));
  cq->ring = allocate_pages(std::size_t{entries} * mlx5::kEntryBytes);
  cq->doorbell = allocate_pages(8);
  if (!cq->ring || !cq->doorbell) return fail_with<ibv_cq>(ENOMEM);
  for (std::uint32_t n = 0; n < entries; ++n)
    cq->ring.get()[std::size_t{n} * mlx5::kEntryBytes + mlx5::kEntryOwner] =
        static_cast<std::byte>(mlx5::kEntryInvalid << 4 | 1);
  CompletionQueueSetup setup;
  setup.entries = cq->ring.get();
  setup.log_entries = cq->log_entries;
  setup.doorbell = cq->doorbell.get();
  setup.owner = context;
  cq->number = cq->handle = card_of(context).create_completion_queue(setup);
  if (cq->number == 0) return fail_with<ibv_cq>(ENOMEM);
  pthread_mutex_init(&cq->mutex, nullptr);
  pthread_cond_init(&cq->cond, nullptr);
  return cq.release();
}

int ibv_destroy_cq(ibv_cq* handle) {
  CompletionQueue& cq = of(handle);
  if (!card_of(cq.context).destroy_completion_queue(cq.number)) return fail(EBUSY);
  pthread_cond_destroy(&cq.cond);
  pthread_mutex_destroy(&cq.mutex);
  delete &cq;
  return 0;
}

}  // namespace api
}  // namespace collbench::softmlx5::verbs
