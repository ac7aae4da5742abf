// State changes of a queue pair and the attributes each needs (InfiniBand Architecture Specification, table
// "QP State Transition Properties").
#include <cerrno>
#include <optional>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs {
namespace {

using namespace rdma;

struct StateChange {
  ibv_qp_state from, to;
  bool of_dc_target;
  int needed, allowed;  // bits of ibv_qp_attr_mask, besides IBV_QP_STATE and IBV_QP_CUR_STATE
};
constexpr int kInit = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
constexpr int kReceive = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int kSend =
    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
constexpr int kTargetReceive = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER;
constexpr int kPaths = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
constexpr StateChange kSteps[] = {
    {IBV_QPS_RESET, IBV_QPS_INIT, false, kInit, 0},
    {IBV_QPS_INIT, IBV_QPS_INIT, false, 0, kInit},
    {IBV_QPS_INIT, IBV_QPS_RTR, false, kReceive, kInit | kPaths},
    {IBV_QPS_RTR, IBV_QPS_RTS, false, kSend, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kPaths},
    {IBV_QPS_RTS, IBV_QPS_RTS, false, 0, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | kPaths},
    {IBV_QPS_RESET, IBV_QPS_INIT, true, IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX},
    {IBV_QPS_INIT, IBV_QPS_RTR, true, kTargetReceive, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
};

QueueState card_state(ibv_qp_state state) {
  switch (state) {
    case IBV_QPS_INIT:
      return QueueState::kInit;
    case IBV_QPS_RTR:
      return QueueState::kReadyToReceive;
    case IBV_QPS_RTS:
      return QueueState::kReadyToSend;
    case IBV_QPS_ERR:
      return QueueState::kError;
    default:
      return QueueState::kReset;
  }
}

ibv_qp_state verbs_state(QueueState state) {
  switch (state) {
    case QueueState::kReset:
      return IBV_QPS_RESET;
    case QueueState::kInit:
      return IBV_QPS_INIT;
    case QueueState::kReadyToReceive:
      return IBV_QPS_RTR;
    case QueueState::kReadyToSend:
      return IBV_QPS_RTS;
    case QueueState::kError:
      return IBV_QPS_ERR;
  }
  return IBV_QPS_UNKNOWN;
}

bool may_step(const QueuePair& queue, ibv_qp_state from, ibv_qp_state to, int mask) {
  const int attributes = mask & ~(IBV_QP_STATE | IBV_QP_CUR_STATE);
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return attributes == 0;
  for (const StateChange& step : kSteps) {
    if (step.from != from || step.to != to || step.of_dc_target != queue.is_dc_target) continue;
    return (attributes & step.needed) == step.needed && (attributes & ~(step.needed | step.allowed)) == 0;
  }
  return false;
}

bool are_possible(const ibv_qp_attr& attr, int mask) {
  if ((mask & IBV_QP_PORT) != 0 && attr.port_num != kPort) return false;
  if ((mask & IBV_QP_PKEY_INDEX) != 0 && attr.pkey_index != 0) return false;
  if ((mask & IBV_QP_PATH_MTU) != 0 && (attr.path_mtu < IBV_MTU_256 || attr.path_mtu > IBV_MTU_4096))
    return false;
  if ((mask & IBV_QP_RNR_RETRY) != 0 && attr.rnr_retry > 7) return false;
  if ((mask & IBV_QP_RETRY_CNT) != 0 && attr.retry_cnt > 7) return false;
  if ((mask & IBV_QP_TIMEOUT) != 0 && attr.timeout > 31) return false;
  // The GRH is read only if is_global is set: NVSHMEM leaves it uninitialised.
  return (mask & IBV_QP_AV) == 0 || (attr.ah_attr.port_num <= kPort &&
                                     (attr.ah_attr.is_global == 0 || attr.ah_attr.grh.sgid_index == 0));
}

template <typename Value>
void keep(int mask, int bit, Value& kept, const Value& value) {
  if ((mask & bit) != 0) kept = value;
}

void keep_attributes(ibv_qp_attr& kept, const ibv_qp_attr& attr, int mask) {
  keep(mask, IBV_QP_ACCESS_FLAGS, kept.qp_access_flags, attr.qp_access_flags);
  keep(mask, IBV_QP_PKEY_INDEX, kept.pkey_index, attr.pkey_index);
  keep(mask, IBV_QP_PORT, kept.port_num, attr.port_num);
  keep(mask, IBV_QP_AV, kept.ah_attr, attr.ah_attr);
  keep(mask, IBV_QP_PATH_MTU, kept.path_mtu, attr.path_mtu);
  keep(mask, IBV_QP_TIMEOUT, kept.timeout, attr.timeout);
  keep(mask, IBV_QP_RETRY_CNT, kept.retry_cnt, attr.retry_cnt);
  keep(mask, IBV_QP_RNR_RETRY, kept.rnr_retry, attr.rnr_retry);
  keep(mask, IBV_QP_RQ_PSN, kept.rq_psn, attr.rq_psn);
  keep(mask, IBV_QP_MAX_QP_RD_ATOMIC, kept.max_rd_atomic, attr.max_rd_atomic);
  keep(mask, IBV_QP_MIN_RNR_TIMER, kept.min_rnr_timer, attr.min_rnr_timer);
  keep(mask, IBV_QP_SQ_PSN, kept.sq_psn, attr.sq_psn);
  keep(mask, IBV_QP_MAX_DEST_RD_ATOMIC, kept.max_dest_rd_atomic, attr.max_dest_rd_atomic);
  keep(mask, IBV_QP_DEST_QPN, kept.dest_qp_num, attr.dest_qp_num);
}

}  // namespace

namespace api {

int ibv_modify_qp(ibv_qp* handle, ibv_qp_attr* attr, int mask) {
  QueuePair& queue = of(handle);
  Card& card = card_of(queue.context);
  const std::optional<QueuePairFacts> facts = card.query_queue_pair(queue.number);
  if (!facts) return fail(EINVAL);
  const ibv_qp_state now = verbs_state(facts->state);
  if ((mask & IBV_QP_CUR_STATE) != 0 && attr->cur_qp_state != now) return fail(EINVAL);
  const ibv_qp_state next = (mask & IBV_QP_STATE) != 0 ? attr->qp_state : now;
  if (!may_step(queue, now, next, mask) || !are_possible(*attr, mask)) return fail(EINVAL);
  QueuePairChange change;
  change.state = card_state(next);
  constexpr unsigned kRemote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) change.access = attr->qp_access_flags & kRemote;
  if ((mask & IBV_QP_DEST_QPN) != 0) change.remote_queue = attr->dest_qp_num & 0xffffff;
  if ((mask & IBV_QP_AV) != 0) change.remote_lid = attr->ah_attr.dlid;
  if ((mask & IBV_QP_RNR_RETRY) != 0) change.receiver_retries = attr->rnr_retry;
  if (!card.modify_queue_pair(queue.number, change)) return fail(EINVAL);
  keep_attributes(queue.attributes, *attr, mask);
  if (next == IBV_QPS_RESET) {
    empty_queues(queue);
    queue.attributes = {};
  }
  if (queue.is_dc_target && next == IBV_QPS_RTR) queue.qp_num = queue.number;
  queue.state = next;
  return 0;
}

int ibv_query_qp(ibv_qp* handle, ibv_qp_attr* attr, int, ibv_qp_init_attr* init) {
  QueuePair& queue = of(handle);
  const std::optional<QueuePairFacts> facts = card_of(queue.context).query_queue_pair(queue.number);
  if (!facts) return fail(EINVAL);
  queue.state = verbs_state(facts->state);
  *attr = queue.attributes;
  attr->qp_state = attr->cur_qp_state = queue.state;
  attr->path_mig_state = IBV_MIG_MIGRATED;
  attr->cap = queue.cap;
  *init = {queue.qp_context, queue.send_cq, queue.recv_cq,           queue.srq,
           queue.cap,        queue.qp_type, queue.signal_all ? 1 : 0};
  return 0;
}

}  // namespace api
}  // namespace collbench::softmlx5::verbs
