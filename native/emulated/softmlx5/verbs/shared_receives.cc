// Shared receive queues.
#include <bit>
#include <cerrno>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs::api {

ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) {
  if (attr->attr.max_wr == 0 || attr->attr.max_wr > kMaxRequests || attr->attr.max_sge > kMaxPieces)
    return fail_with<ibv_srq>(EINVAL);
  auto srq = std::make_unique<SharedReceiveQueue>(pd);
  srq->context = pd->context;
  srq->srq_context = attr->srq_context;
  attr->attr.max_wr = std::bit_ceil(attr->attr.max_wr);
  srq->slots.open(attr->attr.max_wr);
  srq->max_pieces = attr->attr.max_sge;
  srq->number = srq->handle = card_of(pd->context).create_receive_queue(of(pd).number);
  if (srq->number == 0) return fail_with<ibv_srq>(ENOMEM);
  pthread_mutex_init(&srq->mutex, nullptr);
  pthread_cond_init(&srq->cond, nullptr);
  return srq.release();
}

int ibv_query_srq(ibv_srq* handle, ibv_srq_attr* attr) {
  SharedReceiveQueue& srq = of(handle);
  *attr = {srq.slots.capacity(), srq.max_pieces, 0};
  return 0;
}

int get_srq_num(ibv_srq* handle, std::uint32_t* number) {
  *number = of(handle).number;
  return 0;
}

int ibv_destroy_srq(ibv_srq* handle) {
  SharedReceiveQueue& srq = of(handle);
  if (!card_of(srq.context).destroy_receive_queue(srq.number)) return fail(EBUSY);
  pthread_cond_destroy(&srq.cond);
  pthread_mutex_destroy(&srq.mutex);
  delete &srq;
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
