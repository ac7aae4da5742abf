#ifndef COLLBENCH_VERBS_WORK_H
#define COLLBENCH_VERBS_WORK_H
/* Work requests and completions of the verbs interface, see verbs_abi.h. */
#include <cstdint>

#include "vendor_api/mlx5/verbs_constants.h"

namespace collbench::rdma {

struct ibv_ah;

struct ibv_sge {
  std::uint64_t addr;
  std::uint32_t length, lkey;
};

struct ibv_send_wr {
  std::uint64_t wr_id;
  ibv_send_wr* next;
  ibv_sge* sg_list;
  int num_sge;
  ibv_wr_opcode opcode;
  unsigned int send_flags;
  union {
    std::uint32_t imm_data;  // big-endian
    std::uint32_t invalidate_rkey;
  };
  union {
    struct {
      std::uint64_t remote_addr;
      std::uint32_t rkey;
    } rdma;
    struct {
      std::uint64_t remote_addr, compare_add, swap;
      std::uint32_t rkey;
    } atomic;
    struct {
      ibv_ah* ah;
      std::uint32_t remote_qpn, remote_qkey;
    } ud;
  } wr;
  std::uint32_t remote_srqn;
  std::uint64_t window_or_tso[6];
};

struct ibv_recv_wr {
  std::uint64_t wr_id;
  ibv_recv_wr* next;
  ibv_sge* sg_list;
  int num_sge;
};

struct ibv_wc {
  std::uint64_t wr_id;
  ibv_wc_status status;
  ibv_wc_opcode opcode;
  std::uint32_t vendor_err, byte_len;
  union {
    std::uint32_t imm_data;  // big-endian
    std::uint32_t invalidated_rkey;
  };
  std::uint32_t qp_num, src_qp;
  unsigned int wc_flags;
  std::uint16_t pkey_index, slid;
  std::uint8_t sl, dlid_path_bits;
};

}  // namespace collbench::rdma
#endif
