#include <cstring>

#include "emulated/softmlx5/direct/commands.h"
#include "emulated/softmlx5/verbs/device.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::direct {
namespace {

using namespace rdma::devx;
using rdma::mlx5dv_devx_obj;

constexpr std::uint64_t kDoorbellBytes = 8;

std::uint64_t cq_field(const void* in, Field field) { return get(in, inside(kCqcInMailbox, field)); }
std::uint64_t qp_field(const void* in, Field field) { return get(in, inside(kQpcInMailbox, field)); }
std::uint32_t id_of(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

/// Records that the object uses this memory and this doorbell page, so that neither can be destroyed before
/// the object is.
/// @param ring memory of the ring
/// @param record memory of the doorbell record; may be nullptr
void hold(mlx5dv_devx_obj& object, Umem* ring, Umem* record, Uar* uar) {
  object.umems = {ring, record};
  object.uar = uar;
  for (Umem* umem : object.umems)
    if (umem != nullptr) ++umem->users;
  if (uar != nullptr) ++uar->users;
}

}  // namespace

Status create_completion_queue(const void* in, mlx5dv_devx_obj& object) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const std::uint64_t log_entries = cq_field(in, cqc::kLogSize);
  if (log_entries > verbs::kLogMaxEntries || cq_field(in, cqc::kCqeSize) != 0) return kBadParameter;
  Uar* uar = registry.find_uar(object.owner, cq_field(in, cqc::kUarPage));
  if (uar == nullptr) return kBadResource;
  const std::uint64_t offset = get(in, kCqUmemOffset);
  Umem* ring = registry.find(object.owner, id_of(get(in, kCqUmemId)), offset,
                             std::uint64_t{mlx5::kEntryBytes} << log_entries);
  const std::uint64_t record_at = cq_field(in, cqc::kDbrAddr);
  Umem* record = registry.find(object.owner, id_of(cq_field(in, cqc::kDbrUmemId)), record_at, kDoorbellBytes);
  if (ring == nullptr || record == nullptr) return kBadResource;
  if (offset % mlx5::kEntryBytes != 0 || record_at % kDoorbellBytes != 0) return kBadParameter;
  CompletionQueueSetup setup;
  setup.entries = ring->base + offset;
  setup.log_entries = static_cast<unsigned>(log_entries);
  setup.doorbell = record->on_gpu ? nullptr : record->base + record_at;
  setup.collapsed = cq_field(in, cqc::kCollapsed) != 0;
  setup.ignore_overrun = cq_field(in, cqc::kOverrunIgnore) != 0;
  setup.on_gpu = ring->on_gpu;
  setup.owner = object.owner;
  object.kind = mlx5dv_devx_obj::ObjectKind::kCompletionQueue;
  object.number = object.card->create_completion_queue(setup);
  if (object.number == 0) return kBadParameter;
  hold(object, ring, record, uar);
  return kOk;
}

Status create_queue_pair(const void* in, mlx5dv_devx_obj& object) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const std::uint64_t service = qp_field(in, qpc::kServiceType);
  if (service != qpc::kRc && service != qpc::kDci) return kBadParameter;
  const std::uint64_t receive_type = qp_field(in, qpc::kRqType);
  // A receive ring before the send ring is not supported: shared receives or none.
  if (receive_type != qpc::kRqSrq && receive_type != qpc::kRqNone) return kBadParameter;
  if (qp_field(in, qpc::kNoSq) != 0) return kBadParameter;
  Uar* uar = registry.find_uar(object.owner, qp_field(in, qpc::kUarPage));
  if (uar == nullptr) return kBadResource;
  const std::uint64_t log_blocks = qp_field(in, qpc::kLogSqSize);
  const std::uint64_t offset = get(in, kWqUmemOffset);
  Umem* ring = registry.find(object.owner, id_of(get(in, kWqUmemId)), offset,
                             std::uint64_t{mlx5::kBlockBytes} << log_blocks);
  const std::uint64_t record_at = qp_field(in, qpc::kDbrAddr);
  Umem* record = registry.find(object.owner, id_of(qp_field(in, qpc::kDbrUmemId)), record_at, kDoorbellBytes);
  if (ring == nullptr || record == nullptr) return kBadResource;
  if (offset % mlx5::kBlockBytes != 0 || record_at % kDoorbellBytes != 0) return kBadParameter;
  if (record->on_gpu) return kBadResource;
  QueuePairSetup setup;
  setup.kind = service == qpc::kDci ? QueueKind::kDcInitiator : QueueKind::kReliable;
  setup.domain = id_of(qp_field(in, qpc::kPd));
  setup.send_ring = ring->base + offset;
  setup.log_blocks = static_cast<unsigned>(log_blocks);
  setup.doorbell = record->base + record_at;
  setup.uar = uar->page.get();
  setup.send_completions = id_of(qp_field(in, qpc::kCqnSend));
  setup.receive_completions = receive_type == qpc::kRqNone ? 0 : id_of(qp_field(in, qpc::kCqnReceive));
  setup.receives = receive_type == qpc::kRqSrq ? id_of(qp_field(in, qpc::kSrqn)) : 0;
  setup.user_index = id_of(qp_field(in, qpc::kUserIndex));
  setup.ring_on_gpu = ring->on_gpu;
  setup.owner = object.owner;
  object.kind = mlx5dv_devx_obj::ObjectKind::kQueuePair;
  object.number = object.card->create_queue_pair(setup);
  if (object.number == 0) return kBadResource;
  std::memcpy(object.context.data(), static_cast<const std::byte*>(in) + kQpcInMailbox / 8, kQpcBytes);
  hold(object, ring, record, uar);
  return kOk;
}

}  // namespace collbench::softmlx5::direct
