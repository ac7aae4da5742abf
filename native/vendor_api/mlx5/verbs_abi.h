#ifndef COLLBENCH_VERBS_ABI_H
#define COLLBENCH_VERBS_ABI_H
/* The part of the verbs interface (libibverbs.so.1) that collbench uses and softmlx5 provides: layouts as
 * every program built against rdma-core has them, written from public facts. Programs that open the library
 * with dlopen build their table from verbs_functions.def:
 *
 *   struct Verbs {
 *   #define RDMA_FUNCTION(ret, name, params, args, version, needed) ret(*name) params = nullptr;
 *   #include "vendor_api/mlx5/verbs_functions.def"
 *   #undef RDMA_FUNCTION
 *   };
 *
 * post_send, post_recv and poll_cq are no symbols: they go through ibv_context::ops. No function is declared
 * here, so that this header and rdma-core's can meet in one file (include this one first). */
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "vendor_api/mlx5/verbs_constants.h"
#include "vendor_api/mlx5/verbs_work.h"

namespace collbench::rdma {

struct ibv_context;
struct ibv_comp_channel;
struct ibv_qp_ex;  // opaque; softmlx5 never returns one

union ibv_gid {
  std::uint8_t raw[16];
  struct {
    std::uint64_t subnet_prefix, interface_id;  // big-endian
  } global;
};

struct ibv_device {
  void* _ops[2];
  ibv_node_type node_type;
  ibv_transport_type transport_type;
  char name[64];         // "mlx5_0"
  char dev_name[64];     // "uverbs0"
  char dev_path[256];    // /sys/class/infiniband_verbs/uverbs0
  char ibdev_path[256];  // /sys/class/infiniband/mlx5_0
};

struct ibv_device_attr {
  char fw_ver[64];
  std::uint64_t node_guid, sys_image_guid;  // big-endian
  std::uint64_t max_mr_size, page_size_cap;
  std::uint32_t vendor_id, vendor_part_id, hw_ver;
  int max_qp, max_qp_wr;
  unsigned int device_cap_flags;
  int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd;
  int max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom, max_qp_init_rd_atom, max_ee_init_rd_atom;
  ibv_atomic_cap atomic_cap;
  int max_ee, max_rdd, max_mw, max_raw_ipv6_qp, max_raw_ethy_qp;
  int max_mcast_grp, max_mcast_qp_attach, max_total_mcast_qp_attach;
  int max_ah, max_fmr, max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge;
  std::uint16_t max_pkeys;
  std::uint8_t local_ca_ack_delay, phys_port_cnt;
};

struct ibv_port_attr {
  ibv_port_state state;
  ibv_mtu max_mtu, active_mtu;
  int gid_tbl_len;
  std::uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
  std::uint16_t pkey_tbl_len, lid, sm_lid;
  std::uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply;
  std::uint8_t active_width;  // 1: 1x, 2: 4x, 4: 8x, 8: 12x, 16: 2x lanes
  std::uint8_t active_speed;  // code of the speed per lane; 32: 25.8 Gb/s (EDR), 64: HDR, 128: NDR
  std::uint8_t phys_state;    // 5 = link up
  std::uint8_t link_layer, flags;
  std::uint16_t port_cap_flags2;
};
/* Number of bytes of ibv_port_attr that the symbol ibv_query_port fills; the fields after them are newer than
 * that symbol's version, IBVERBS_1.1. */
inline constexpr std::size_t kCompatPortBytes = offsetof(ibv_port_attr, port_cap_flags2);

struct ibv_pd {
  ibv_context* context;
  std::uint32_t handle;
};
struct ibv_ah {
  ibv_context* context;
  ibv_pd* pd;
  std::uint32_t handle;
};
struct ibv_mr {
  ibv_context* context;
  ibv_pd* pd;
  void* addr;
  std::size_t length;
  std::uint32_t handle, lkey, rkey;
};
struct ibv_cq {
  ibv_context* context;
  ibv_comp_channel* channel;
  void* cq_context;
  std::uint32_t handle;
  int cqe;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t comp_events_completed, async_events_completed;
};
struct ibv_srq {
  ibv_context* context;
  void* srq_context;
  ibv_pd* pd;
  std::uint32_t handle;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t events_completed;
};
struct ibv_qp {
  ibv_context* context;
  void* qp_context;
  ibv_pd* pd;
  ibv_cq *send_cq, *recv_cq;
  ibv_srq* srq;
  std::uint32_t handle, qp_num;
  ibv_qp_state state;
  ibv_qp_type qp_type;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t events_completed;
};

struct ibv_global_route {
  ibv_gid dgid;
  std::uint32_t flow_label;
  std::uint8_t sgid_index, hop_limit, traffic_class;
};
struct ibv_ah_attr {
  ibv_global_route grh;
  std::uint16_t dlid;
  std::uint8_t sl, src_path_bits, static_rate, is_global, port_num;
};
struct ibv_srq_attr {
  std::uint32_t max_wr, max_sge, srq_limit;
};
struct ibv_srq_init_attr {
  void* srq_context;
  ibv_srq_attr attr;
};
struct ibv_qp_cap {
  std::uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data;
};
struct ibv_qp_init_attr {
  void* qp_context;
  ibv_cq *send_cq, *recv_cq;
  ibv_srq* srq;
  ibv_qp_cap cap;
  ibv_qp_type qp_type;
  int sq_sig_all;
};
struct ibv_qp_init_attr_ex {
  void* qp_context;
  ibv_cq *send_cq, *recv_cq;
  ibv_srq* srq;
  ibv_qp_cap cap;
  ibv_qp_type qp_type;
  int sq_sig_all;
  std::uint32_t comp_mask;
  ibv_pd* pd;
  void* xrcd;
  std::uint32_t create_flags;
  std::uint16_t max_tso_header;
  void* rwq_ind_tbl;
  struct {
    std::uint8_t rx_hash_function, rx_hash_key_len;
    std::uint8_t* rx_hash_key;
    std::uint64_t rx_hash_fields_mask;
  } rx_hash_conf;
  std::uint32_t source_qpn;
  std::uint64_t send_ops_flags;
};
struct ibv_qp_attr {
  ibv_qp_state qp_state, cur_qp_state;
  ibv_mtu path_mtu;
  ibv_mig_state path_mig_state;
  std::uint32_t qkey, rq_psn, sq_psn, dest_qp_num;
  unsigned int qp_access_flags;
  ibv_qp_cap cap;
  ibv_ah_attr ah_attr, alt_ah_attr;
  std::uint16_t pkey_index, alt_pkey_index;
  std::uint8_t en_sqd_async_notify, sq_draining, max_rd_atomic, max_dest_rd_atomic, min_rnr_timer, port_num;
  std::uint8_t timeout, retry_cnt, rnr_retry, alt_port_num, alt_timeout;
  std::uint32_t rate_limit;
};

struct ibv_async_event {
  union {
    ibv_cq* cq;
    ibv_qp* qp;
    ibv_srq* srq;
    int port_num;
  } element;
  ibv_event_type event_type;
};
struct ibv_ece {
  std::uint32_t vendor_id, options, comp_mask;
};
struct ibv_parent_domain_init_attr {
  ibv_pd* pd;
  void* td;
  std::uint32_t comp_mask;
  void* (*alloc)(ibv_pd*, void* context, std::size_t size, std::size_t alignment,
                 std::uint64_t resource_type);
  void (*free)(ibv_pd*, void* context, void* memory, std::uint64_t resource_type);
  void* pd_context;
};

/* Functions that are called through the context. The void* arrays keep the places of functions that the
 * library exports as symbols today. */
struct ibv_context_ops {
  void* before_poll_cq[11];
  int (*poll_cq)(ibv_cq*, int entries, ibv_wc*);
  int (*req_notify_cq)(ibv_cq*, int solicited_only);
  void* before_post_srq_recv[7];
  int (*post_srq_recv)(ibv_srq*, ibv_recv_wr*, ibv_recv_wr** bad);
  void* before_post_send[4];
  int (*post_send)(ibv_qp*, ibv_send_wr*, ibv_send_wr** bad);
  int (*post_recv)(ibv_qp*, ibv_recv_wr*, ibv_recv_wr** bad);
  void* after_post_recv[5];
};

struct ibv_context {
  ibv_device* device;
  ibv_context_ops ops;
  int cmd_fd, async_fd, num_comp_vectors;
  pthread_mutex_t mutex;
  void* abi_compat;  // all bits set: this context is part of a verbs_context
};

/* The ibv_context with functions of newer library versions before it. New fields are added at the beginning,
 * so `sz`, the size of the whole struct, tells which ones there are. */
struct verbs_context {
  int (*query_port)(ibv_context*, std::uint8_t port_num, ibv_port_attr*, std::size_t attr_bytes);
  void* before_alloc_parent_domain[13];
  ibv_pd* (*alloc_parent_domain)(ibv_context*, ibv_parent_domain_init_attr*);
  void* before_get_srq_num[19];
  int (*get_srq_num)(ibv_srq*, std::uint32_t* srq_num);
  void* before_size[4];
  std::size_t sz;
  ibv_context context;
};

/* Returns the verbs_context that contains `context`; nullptr if a library older than rdma-core made it. */
inline verbs_context* extended(ibv_context* context) {
  if (context->abi_compat != reinterpret_cast<void*>(UINTPTR_MAX)) return nullptr;
  return reinterpret_cast<verbs_context*>(reinterpret_cast<char*>(context) -
                                          offsetof(verbs_context, context));
}

}  // namespace collbench::rdma
#endif
