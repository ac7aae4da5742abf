#pragma once
// The functions of both interfaces as C++ functions; exports/*.cc give them their public names.
#include "emulated/cards.h"
#include "vendor_api/mlx5/mlx5dv_abi.h"

namespace collbench::softmlx5::verbs::api {

using namespace rdma;  // NOLINT: the lists name types without their namespace

#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  __attribute__((visibility("default"))) ret name params;
#include "vendor_api/mlx5/mlx5dv_functions.def"
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION

// Called through ibv_context::ops and verbs_context.
int poll_cq(ibv_cq* cq, int entries, ibv_wc* completions);
int req_notify_cq(ibv_cq* cq, int solicited_only);
int post_send(ibv_qp* qp, ibv_send_wr* request, ibv_send_wr** bad);
int post_recv(ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr** bad);
int post_srq_recv(ibv_srq* srq, ibv_recv_wr* request, ibv_recv_wr** bad);
int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr, std::size_t attr_bytes);
ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* attr);
int get_srq_num(ibv_srq* srq, std::uint32_t* number);

// Documented in emulated/cards.h.
__attribute__((visibility("default"))) int link_model(unsigned int index, softmlx5_link_model_t* model);
__attribute__((visibility("default"))) int check_settings(const char* link, const char* fault, char* problem,
                                                          unsigned int problem_bytes);

__attribute__((visibility("default"))) int counters(unsigned int number, softmlx5_counters_t* counted);
__attribute__((visibility("default"))) void progress();

}  // namespace collbench::softmlx5::verbs::api
