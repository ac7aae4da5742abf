// Work requests: written into the queue's ring and doorbell record in the same form as by other initiators.
// The card's one executor reads both.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::verbs {
namespace {

using namespace rdma;

struct WorkQueueEntry {
  alignas(mlx5::kSegmentBytes) std::array<std::byte, kMaxWqeBytes> bytes;
  std::uint32_t size = 0;
  std::byte* segment() {
    std::byte* at = bytes.data() + size;
    std::memset(at, 0, mlx5::kSegmentBytes);
    size += mlx5::kSegmentBytes;
    return at;
  }
};

/// mlx5 opcode for each ibv_wr_opcode, indexed by its value.
constexpr std::array<mlx5::Opcode, 7> kOpcodes = {
    mlx5::kWrite, mlx5::kWriteImmediate, mlx5::kSend,    mlx5::kSendImmediate,
    mlx5::kRead,  mlx5::kCompareSwap,    mlx5::kFetchAdd};
constexpr std::uint8_t kSolicited = 2;
constexpr std::uint8_t kFence = 4 << 5;

void put_remote(WorkQueueEntry& entry, std::uint64_t address, std::uint32_t key) {
  std::byte* at = entry.segment();
  store_big(at + mlx5::kRemoteAddress, address);
  store_big(at + mlx5::kRemoteKey, key);
}

void put_atomic(WorkQueueEntry& entry, const ibv_send_wr& request) {
  std::byte* at = entry.segment();
  const bool compares = request.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
  store_big(at + mlx5::kAtomicSwapOrAdd, compares ? request.wr.atomic.swap : request.wr.atomic.compare_add);
  store_big(at + mlx5::kAtomicCompare, compares ? request.wr.atomic.compare_add : std::uint64_t{0});
}

int put_inline(WorkQueueEntry& entry, const ibv_send_wr& request, std::uint32_t most) {
  std::uint64_t total = 0;
  for (int n = 0; n < request.num_sge; ++n) total += request.sg_list[n].length;
  if (total > most) return ENOMEM;
  if (total == 0) return 0;
  std::byte* at = entry.bytes.data() + entry.size;
  store_big(at, static_cast<std::uint32_t>(total) | mlx5::kInline);
  std::size_t filled = sizeof(std::uint32_t);
  for (int n = 0; n < request.num_sge; ++n) {
    const ibv_sge& piece = request.sg_list[n];
    if (piece.length > 0) std::memcpy(at + filled, reinterpret_cast<const void*>(piece.addr), piece.length);
    filled += piece.length;
  }
  entry.size += static_cast<std::uint32_t>((filled + mlx5::kSegmentBytes - 1) / mlx5::kSegmentBytes *
                                           mlx5::kSegmentBytes);
  return 0;
}

void put_pieces(WorkQueueEntry& entry, const ibv_send_wr& request) {
  for (int n = 0; n < request.num_sge; ++n) {
    const ibv_sge& piece = request.sg_list[n];
    if (piece.length == 0) continue;
    std::byte* at = entry.segment();
    store_big(at + mlx5::kDataBytes, piece.length);
    store_big(at + mlx5::kDataKey, piece.lkey);
    store_big(at + mlx5::kDataAddress, piece.addr);
  }
}

/// Converts a work request into a work queue entry.
/// @returns 0, or an errno if the queue does not support the request
int build(const QueuePair& queue, const ibv_send_wr& request, WorkQueueEntry& entry) {
  const auto index = static_cast<std::size_t>(request.opcode);
  if (index >= kOpcodes.size()) return EINVAL;
  if (request.num_sge < 0 || static_cast<std::uint32_t>(request.num_sge) > queue.cap.max_send_sge)
    return ENOMEM;
  std::byte* control = entry.segment();
  if (request.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || request.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    put_remote(entry, request.wr.atomic.remote_addr, request.wr.atomic.rkey);
    put_atomic(entry, request);
  } else if (request.opcode != IBV_WR_SEND && request.opcode != IBV_WR_SEND_WITH_IMM) {
    put_remote(entry, request.wr.rdma.remote_addr, request.wr.rdma.rkey);
  }
  if ((request.send_flags & IBV_SEND_INLINE) != 0 && request.num_sge > 0) {
    const int error = put_inline(entry, request, queue.cap.max_inline_data);
    if (error != 0) return error;
  } else {
    put_pieces(entry, request);
  }
  const bool signalled = queue.signal_all || (request.send_flags & IBV_SEND_SIGNALED) != 0;
  store_big(control + mlx5::kControlWord0, (queue.posted_blocks & 0xffff) << 8 | kOpcodes[index]);
  store_big(control + mlx5::kControlWord1, queue.number << 8 | entry.size / mlx5::kSegmentBytes);
  control[mlx5::kControlFlags] =
      static_cast<std::byte>((signalled ? mlx5::kCompletionAlways : 0) |
                             ((request.send_flags & IBV_SEND_SOLICITED) != 0 ? kSolicited : 0) |
                             ((request.send_flags & IBV_SEND_FENCE) != 0 ? kFence : 0));
  if (request.opcode == IBV_WR_RDMA_WRITE_WITH_IMM || request.opcode == IBV_WR_SEND_WITH_IMM)
    std::memcpy(control + mlx5::kControlImmediate, &request.imm_data, sizeof request.imm_data);
  return 0;
}

/// Copies a work queue entry into the send queue's ring, behind those posted before; may wrap around its end.
void place(QueuePair& queue, const WorkQueueEntry& entry) {
  const std::uint32_t mask = static_cast<std::uint32_t>(queue.ids.size()) - 1;
  for (std::uint32_t done = 0; done < entry.size; done += mlx5::kBlockBytes, ++queue.posted_blocks) {
    std::byte* block = queue.ring.get() + std::size_t{queue.posted_blocks & mask} * mlx5::kBlockBytes;
    std::memcpy(block, entry.bytes.data() + done, std::min(mlx5::kBlockBytes, entry.size - done));
  }
}

int copy_pieces(const ibv_recv_wr& request, std::uint32_t most, Receive* receive) {
  if (request.num_sge < 0 || static_cast<std::uint32_t>(request.num_sge) > most) return EINVAL;
  for (int n = 0; n < request.num_sge; ++n) {
    const ibv_sge& piece = request.sg_list[n];
    receive->pieces.push_back({piece.addr, piece.length, piece.lkey});
  }
  return 0;
}

int post_one(Card& card, std::uint32_t number, std::uint32_t max_pieces, ReceiveSlots& slots,
             const ibv_recv_wr& request) {
  Receive receive;
  const int error = copy_pieces(request, max_pieces, &receive);
  if (error != 0) return error;
  if (!slots.take(request.wr_id, &receive.counter)) return ENOMEM;
  const std::uint16_t slot = receive.counter;
  if (card.post_receive(number, std::move(receive))) return 0;
  slots.release(slot);
  return EINVAL;
}

}  // namespace

namespace api {

int post_send(ibv_qp* handle, ibv_send_wr* request, ibv_send_wr** bad) {
  QueuePair& queue = of(handle);
  const std::lock_guard lock(queue.send_lock);
  const std::uint32_t before = queue.posted_blocks;
  int error = 0;
  for (; request != nullptr; request = request->next) {
    WorkQueueEntry entry;
    error = queue.head - queue.tail.load(std::memory_order_acquire) >= queue.max_posted
                ? ENOMEM
                : build(queue, *request, entry);
    if (error != 0) {
      *bad = request;
      break;
    }
    const std::size_t block = queue.posted_blocks & (queue.ids.size() - 1);
    queue.ids[block] = request->wr_id;
    queue.heads[block] = queue.head++;
    place(queue, entry);
  }
  if (queue.posted_blocks != before)
    shared_word<std::uint32_t>(queue.doorbell.get() + mlx5::kDoorbellSend)
        .store(big32(queue.posted_blocks & 0xffff), std::memory_order_release);
  return error == 0 ? 0 : fail(error);
}

int post_recv(ibv_qp* handle, ibv_recv_wr* request, ibv_recv_wr** bad) {
  QueuePair& queue = of(handle);
  const std::lock_guard lock(queue.receive_lock);
  for (; request != nullptr; request = request->next) {
    const int error = queue.srq != nullptr ? EINVAL
                                           : post_one(card_of(queue.context), queue.number,
                                                      queue.cap.max_recv_sge, queue.receives, *request);
    if (error == 0) continue;
    *bad = request;
    return fail(error);
  }
  return 0;
}

int post_srq_recv(ibv_srq* handle, ibv_recv_wr* request, ibv_recv_wr** bad) {
  SharedReceiveQueue& shared = of(handle);
  const std::lock_guard lock(shared.lock);
  for (; request != nullptr; request = request->next) {
    const int error =
        post_one(card_of(shared.context), shared.number, shared.max_pieces, shared.slots, *request);
    if (error == 0) continue;
    *bad = request;
    return fail(error);
  }
  return 0;
}

}  // namespace api
}  // namespace collbench::softmlx5::verbs
