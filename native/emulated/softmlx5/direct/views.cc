// mlx5dv_init_obj: numbers and memory of objects made through verbs.
#include <cerrno>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/objects.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::verbs::api {
namespace {

std::uint32_t* words(const Pages& pages) { return reinterpret_cast<std::uint32_t*>(pages.get()); }

void show(QueuePair& queue, mlx5dv_qp& out) {
  out.dbrec = words(queue.doorbell);
  out.sq = {queue.ring.get(), queue.ring ? 1U << queue.log_blocks : 0, mlx5::kBlockBytes};
  out.rq = {};
  out.bf = {};
  out.comp_mask = 0;
}

void show(CompletionQueue& cq, mlx5dv_cq& out) {
  out.buf = cq.ring.get();
  out.dbrec = words(cq.doorbell);
  out.cqe_cnt = 1U << cq.log_entries;
  out.cqe_size = mlx5::kEntryBytes;
  out.cq_uar = nullptr;
  out.cqn = cq.number;
  out.comp_mask = 0;
}

/// Describes a shared receive queue for mlx5dv_init_obj(): only its number. There is no ring to describe,
/// because posted receives are not kept in memory that others could write.
void show(SharedReceiveQueue& srq, mlx5dv_srq& out) {
  const bool wants_number = (out.comp_mask & MLX5DV_SRQ_MASK_SRQN) != 0;
  out = {};
  out.comp_mask = wants_number ? MLX5DV_SRQ_MASK_SRQN : 0;
  out.srqn = srq.number;
}

}  // namespace

int mlx5dv_init_obj(mlx5dv_obj* obj, std::uint64_t type) {
  constexpr std::uint64_t kOffered =
      MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ | MLX5DV_OBJ_SRQ | MLX5DV_OBJ_AH | MLX5DV_OBJ_PD;
  if ((type & ~kOffered) != 0) return fail(EOPNOTSUPP);
  if ((type & MLX5DV_OBJ_QP) != 0) show(of(obj->qp.in), *obj->qp.out);
  if ((type & MLX5DV_OBJ_CQ) != 0) show(of(obj->cq.in), *obj->cq.out);
  if ((type & MLX5DV_OBJ_SRQ) != 0) show(of(obj->srq.in), *obj->srq.out);
  if ((type & MLX5DV_OBJ_AH) != 0) *obj->ah.out = {of(obj->ah.in).vector.data(), 0};
  if ((type & MLX5DV_OBJ_PD) != 0) *obj->pd.out = {of(obj->pd.in).number, 0};
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
