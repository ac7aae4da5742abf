// Queue pairs: RC queues and DC targets.

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

bool is_possible(const ibv_qp_cap& cap, bool has_shared_receives) {
  return cap.max_send_wr <= kMaxRequests && cap.max_send_sge <= kMaxPieces &&
         cap.max_recv_sge <= kMaxPieces && (has_shared_receives || cap.max_recv_wr <= kMaxRequests) &&
         request_bytes(cap) <= kMaxWqeBytes;
}

/// Allocates the ring of a send queue, with room for cap.max_send_wr requests of maximum size; no ring if
/// this number is 0. Raises cap.max_send_wr to the number that fits. False if the number is too large or
/// there is no memory.
bool make_ring(QueuePair& queue) {
  if (queue.cap.max_send_wr == 0) return true;
  const std::uint32_t blocks_each = (request_bytes(queue.cap) + mlx5::kBlockBytes - 1) / mlx5::kBlockBytes;
  const std::uint32_t blocks = std::bit_ceil(queue.cap.max_send_wr * blocks_each);
  if (blocks > kMaxRequests) return false;
  queue.log_blocks = static_cast<unsigned>(std::countr_zero(blocks));
  queue.ring = allocate_pages(std::size_t{blocks} * mlx5::kBlockBytes);
  queue.ids.assign(blocks, 0);
  queue.heads.assign(blocks, 0);
  queue.max_posted = queue.cap.max_send_wr = blocks / blocks_each;
  return queue.ring != nullptr;
}

void attach(ibv_cq* cq, QueuePair& queue) {
  if (cq == nullptr) return;
  const std::lock_guard lock(of(cq).lock);
  of(cq).queues[queue.number] = &queue;
}

void detach(ibv_cq* cq, const QueuePair& queue) {
  if (cq == nullptr) return;
  forget_entries(of(cq), queue.number);
  const std::lock_guard lock(of(cq).lock);
  of(cq).queues.erase(queue.number);
}

}  // namespace

std::uint32_t request_bytes(const ibv_qp_cap& cap) {
  constexpr std::uint32_t kHeads = 3 * mlx5::kSegmentBytes;  // control, remote address and atomic segments
  const std::uint32_t pieces = std::max(cap.max_send_sge, 1U) * mlx5::kSegmentBytes;
  if (cap.max_inline_data > kMaxWqeBytes) return kMaxWqeBytes + 1;
  const std::uint32_t inlined = (cap.max_inline_data + sizeof(std::uint32_t) + mlx5::kSegmentBytes - 1) /
                                mlx5::kSegmentBytes * mlx5::kSegmentBytes;
  return kHeads + std::max(pieces, inlined);
}

ibv_qp* create_queue_pair(ibv_pd* pd, ibv_qp_init_attr& attr, const std::uint64_t* dc_access_key) {
  const bool is_target = dc_access_key != nullptr;
  if (is_target ? attr.srq == nullptr || attr.recv_cq == nullptr
                : attr.send_cq == nullptr || attr.recv_cq == nullptr || attr.qp_type != IBV_QPT_RC)
    return fail_with<ibv_qp>(attr.qp_type == IBV_QPT_UC || attr.qp_type == IBV_QPT_UD ? EOPNOTSUPP : EINVAL);
  if (!is_possible(attr.cap, attr.srq != nullptr)) return fail_with<ibv_qp>(EINVAL);
  auto queue = std::make_unique<QueuePair>(pd);
  queue->context = pd->context;
  queue->qp_context = attr.qp_context;
  queue->send_cq = attr.send_cq;
  queue->recv_cq = attr.recv_cq;
  queue->srq = attr.srq;
  queue->qp_type = attr.qp_type;
  queue->state = IBV_QPS_RESET;
  queue->is_dc_target = is_target;
  queue->signal_all = attr.sq_sig_all != 0;
  queue->cap = attr.cap;
  if (attr.srq != nullptr || is_target) queue->cap.max_recv_wr = queue->cap.max_recv_sge = 0;
  if (is_target) queue->cap = {};
  if (queue->cap.max_recv_wr > 0) {
    queue->cap.max_recv_wr = std::bit_ceil(queue->cap.max_recv_wr);
    queue->receives.open(queue->cap.max_recv_wr);
  }
  queue->doorbell = allocate_pages(8);
  if (!queue->doorbell || !make_ring(*queue)) return fail_with<ibv_qp>(ENOMEM);

  QueuePairSetup setup;
  setup.kind = is_target ? QueueKind::kDcTarget : QueueKind::kReliable;
  setup.domain = of(pd).number;
  setup.send_ring = queue->ring.get();
  setup.log_blocks = queue->log_blocks;
  setup.doorbell = queue->doorbell.get();
  setup.send_completions = is_target ? 0 : number_of(attr.send_cq);
  setup.receive_completions = number_of(attr.recv_cq);
  setup.receives = attr.srq == nullptr ? 0 : of(attr.srq).number;
  setup.access_key = is_target ? *dc_access_key : 0;
  setup.owner = pd->context;
  queue->number = queue->handle = card_of(pd->context).create_queue_pair(setup);
  if (queue->number == 0) return fail_with<ibv_qp>(EINVAL);
  // a DC target gets its number when it becomes ready to receive
  if (!is_target) queue->qp_num = queue->number;
  pthread_mutex_init(&queue->mutex, nullptr);
  pthread_cond_init(&queue->cond, nullptr);
  attach(queue->send_cq, *queue);
  if (queue->recv_cq != queue->send_cq) attach(queue->recv_cq, *queue);
  if (!is_target) attr.cap = queue->cap;
  return queue.release();
}

void empty_queues(QueuePair& queue) {
  for (ibv_cq* cq : {queue.send_cq, queue.recv_cq})
    if (cq != nullptr) forget_entries(of(cq), queue.number);
  const std::scoped_lock lock(queue.send_lock, queue.receive_lock);
  queue.posted_blocks = queue.head = 0;
  queue.tail = 0;
  queue.receives.clear();
  for (const std::uint32_t word : {mlx5::kDoorbellReceive, mlx5::kDoorbellSend})
    shared_word<std::uint32_t>(queue.doorbell.get() + word).store(0, std::memory_order_release);
}

namespace api {

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attr) { return create_queue_pair(pd, *attr, nullptr); }
// Work requests are posted by ibv_post_send or written by the caller; the extended interface is not
// supported.
ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp*) { return fail_with<ibv_qp_ex>(EOPNOTSUPP); }

ibv_qp* mlx5dv_create_qp(ibv_context* context, ibv_qp_init_attr_ex* attr, mlx5dv_qp_init_attr* dv_attr) {
  if ((attr->comp_mask & IBV_QP_INIT_ATTR_PD) == 0 || attr->pd == nullptr || attr->pd->context != context)
    return fail_with<ibv_qp>(EINVAL);
  const bool is_dc = dv_attr != nullptr && (dv_attr->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC) != 0;
  if (is_dc != (attr->qp_type == IBV_QPT_DRIVER)) return fail_with<ibv_qp>(EINVAL);
  // DC initiators are only made through DEVX.
  if (is_dc && dv_attr->dc_init_attr.dc_type != MLX5DV_DCTYPE_DCT) return fail_with<ibv_qp>(EOPNOTSUPP);
  ibv_qp_init_attr plain{attr->qp_context, attr->send_cq, attr->recv_cq,   attr->srq,
                         attr->cap,        attr->qp_type, attr->sq_sig_all};
  ibv_qp* made = create_queue_pair(attr->pd, plain, is_dc ? &dv_attr->dc_init_attr.dct_access_key : nullptr);
  if (made != nullptr) attr->cap = plain.cap;
  return made;
}

int ibv_destroy_qp(ibv_qp* handle) {
  QueuePair& queue = of(handle);
  if (!card_of(queue.context).destroy_queue_pair(queue.number)) return fail(EINVAL);
  detach(queue.send_cq, queue);
  if (queue.recv_cq != queue.send_cq) detach(queue.recv_cq, queue);
  pthread_cond_destroy(&queue.cond);
  pthread_mutex_destroy(&queue.mutex);
  delete &queue;
  return 0;
}

// Enhanced connection establishment needs no negotiation, because both ends are this library.
int ibv_query_ece(ibv_qp*, ibv_ece* ece) {
  *ece = {};
  return 0;
}
int ibv_set_ece(ibv_qp*, ibv_ece* ece) { return ece->comp_mask == 0 ? 0 : fail(EINVAL); }

}  // namespace api
}  // namespace collbench::softmlx5::verbs
