#ifndef COLLBENCH_MLX5DV_ABI_H
#define COLLBENCH_MLX5DV_ABI_H
/* The part of the mlx5 direct interface (libmlx5.so.1) that collbench uses and softmlx5 provides; written
 * from public facts. Loaders make their table from mlx5dv_functions.def as verbs_abi.h shows; mailboxes of
 * DEVX commands: devx.h; work queue entries and completions: mlx5_formats.h. */
#include <sys/types.h>

#include "vendor_api/mlx5/verbs_abi.h"

namespace collbench::rdma {

/* Index of the 32-bit words of a doorbell record. */
enum : int { MLX5_RCV_DBR = 0, MLX5_SND_DBR = 1 };

struct mlx5dv_devx_obj;  // opaque; defined by the library

struct mlx5dv_devx_umem {
  std::uint32_t umem_id;
};
enum mlx5dv_devx_umem_in_mask : int { MLX5DV_UMEM_MASK_DMABUF = 1 };
struct mlx5dv_devx_umem_in {
  void* addr;
  std::size_t size;
  std::uint32_t access;
  std::uint64_t pgsz_bitmap, comp_mask;
  int dmabuf_fd;
};

/* Flags of devx_alloc_uar: BlueFlame, non-cached, non-cached of its own page. */
inline constexpr std::uint32_t kUarBlueFlame = 0, kUarNonCached = 1, kUarNonCachedDedicated = 1u << 31;
struct mlx5dv_devx_uar {
  void* reg_addr;   // address to which the eight bytes of a doorbell are stored
  void* base_addr;  // start of its page, 4 KiB
  std::uint32_t page_id;
  off_t mmap_off;
  std::uint64_t comp_mask;
};

enum mlx5dv_qp_init_attr_mask : int {
  MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS = 1,
  MLX5DV_QP_INIT_ATTR_MASK_DC = 2
};
enum mlx5dv_dc_type : int { MLX5DV_DCTYPE_DCT = 1, MLX5DV_DCTYPE_DCI = 2 };
struct mlx5dv_qp_init_attr {
  std::uint64_t comp_mask;
  std::uint32_t create_flags;
  struct {
    mlx5dv_dc_type dc_type;
    std::uint64_t dct_access_key;
  } dc_init_attr;
  std::uint64_t send_ops_flags;
};

enum mlx5dv_context_flags : int { MLX5DV_CONTEXT_FLAGS_CQE_V1 = 1 };
/* First fields of the real struct, which is longer. The bits of comp_mask name further fields that a caller
 * asks for; softmlx5 fills none of them. */
struct mlx5dv_context {
  std::uint8_t version;
  std::uint64_t flags, comp_mask;
};

struct mlx5dv_qp {
  std::uint32_t* dbrec;
  struct {
    void* buf;
    std::uint32_t wqe_cnt, stride;
  } sq, rq;
  struct {
    void* reg;
    std::uint32_t size;
  } bf;
  std::uint64_t comp_mask;
  off_t uar_mmap_offset;
  std::uint32_t tirn, tisn, rqn, sqn;
  std::uint64_t tir_icm_addr;
};
struct mlx5dv_cq {
  void* buf;
  std::uint32_t* dbrec;
  std::uint32_t cqe_cnt, cqe_size;
  void* cq_uar;
  std::uint32_t cqn;
  std::uint64_t comp_mask;
};
enum mlx5dv_srq_comp_mask : int { MLX5DV_SRQ_MASK_SRQN = 1 };
struct mlx5dv_srq {
  void* buf;
  std::uint32_t* dbrec;
  std::uint32_t stride, head, tail;
  std::uint64_t comp_mask;
  std::uint32_t srqn;
};
struct mlx5dv_ah {
  void* av;  // address vector of 48 bytes, see mlx5_formats.h
  std::uint64_t comp_mask;
};
struct mlx5dv_pd {
  std::uint32_t pdn;
  std::uint64_t comp_mask;
};

enum mlx5dv_obj_type : int {
  MLX5DV_OBJ_QP = 1,
  MLX5DV_OBJ_CQ = 2,
  MLX5DV_OBJ_SRQ = 4,
  MLX5DV_OBJ_RWQ = 8,
  MLX5DV_OBJ_DM = 16,
  MLX5DV_OBJ_AH = 32,
  MLX5DV_OBJ_PD = 64
};
struct mlx5dv_obj {
  struct {
    ibv_qp* in;
    mlx5dv_qp* out;
  } qp;
  struct {
    ibv_cq* in;
    mlx5dv_cq* out;
  } cq;
  struct {
    ibv_srq* in;
    mlx5dv_srq* out;
  } srq;
  struct {
    void *in, *out;
  } rwq, dm;
  struct {
    ibv_ah* in;
    mlx5dv_ah* out;
  } ah;
  struct {
    ibv_pd* in;
    mlx5dv_pd* out;
  } pd;
};

}  // namespace collbench::rdma
#endif
