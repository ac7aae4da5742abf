// Attributes of the device and its port.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs::api {
namespace {

constexpr std::uint64_t kLinkLocalPrefix = 0xfe80000000000000;
constexpr std::uint8_t kFourLanes = 2, kLinkUp = 5, kPolling = 2;
constexpr double kLanes = 4;

/// A lane speed in Gbit/s, and its code in ibv_port_attr::active_speed.
struct LaneSpeed {
  double gbitps;
  std::uint8_t code;
};
constexpr LaneSpeed kLaneSpeeds[] = {{2.5, 1}, {5, 2}, {10, 4}, {14, 16}, {25, 32}, {50, 64}, {100, 128}};

/// Returns the slowest lane speed with which the port reaches the link model's data rate; the fastest one
/// without a model.
const LaneSpeed& lane_speed(double link_gbitps) {
  const LaneSpeed* fastest = std::end(kLaneSpeeds) - 1;
  if (link_gbitps <= 0) return *fastest;
  for (const LaneSpeed& speed : kLaneSpeeds)
    if (speed.gbitps * kLanes >= link_gbitps) return speed;
  return *fastest;
}

}  // namespace

int ibv_query_device(ibv_context* context, ibv_device_attr* attr) {
  *attr = {};
  std::snprintf(attr->fw_ver, sizeof attr->fw_ver, "softmlx5 (emulated)");
  attr->node_guid = attr->sys_image_guid = guid_of(card_of(context).lid());
  attr->max_mr_size = ~std::uint64_t{0};
  attr->page_size_cap = 0xfffffffffffff000;
  attr->vendor_id = 0x2c9;
  attr->vendor_part_id = 4129;  // a ConnectX-7: clients derive the available commands from this number
  attr->max_qp = attr->max_cq = attr->max_srq = attr->max_pd = attr->max_mr = attr->max_ah = 1 << 16;
  attr->max_qp_wr = attr->max_srq_wr = static_cast<int>(kMaxRequests);
  attr->max_sge = attr->max_sge_rd = attr->max_srq_sge = static_cast<int>(kMaxPieces);
  attr->max_cqe = static_cast<int>(kMaxEntries) - 1;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
  attr->max_res_rd_atom = attr->max_qp_rd_atom * attr->max_qp;
  attr->atomic_cap = IBV_ATOMIC_HCA;
  attr->max_pkeys = 1;
  attr->local_ca_ack_delay = 16;
  attr->phys_port_cnt = 1;
  return 0;
}

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr, std::size_t attr_bytes) {
  if (port != kPort) return fail(EINVAL);
  const Card& card = card_of(context);
  ibv_port_attr all{};
  all.state = card.port_is_up() ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  all.max_mtu = all.active_mtu = IBV_MTU_4096;
  all.gid_tbl_len = 1;
  all.max_msg_sz = 1U << 30;
  all.pkey_tbl_len = 1;
  all.lid = card.lid();
  all.sm_lid = card.lid();
  all.max_vl_num = 1;
  all.active_width = kFourLanes;
  all.active_speed = lane_speed(card.link_gbitps()).code;
  all.phys_state = card.port_is_up() ? kLinkUp : kPolling;
  all.link_layer = IBV_LINK_LAYER_INFINIBAND;
  std::memset(attr, 0, attr_bytes);
  std::memcpy(attr, &all, std::min(attr_bytes, sizeof all));
  return 0;
}

int ibv_query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr) {
  return query_port(context, port, attr, kCompatPortBytes);
}

int ibv_query_port_speed(ibv_context* context, std::uint32_t port, std::uint64_t* speed) {
  if (port != kPort) return fail(EINVAL);
  constexpr double kUnitGbitps = 0.1;
  *speed =
      static_cast<std::uint64_t>(lane_speed(card_of(context).link_gbitps()).gbitps * kLanes / kUnitGbitps);
  return 0;
}

int ibv_query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid) {
  if (port != kPort || index != 0) return fail(EINVAL), -1;
  gid->global.subnet_prefix = swapped(kLinkLocalPrefix);
  gid->global.interface_id = guid_of(card_of(context).lid());
  return 0;
}

int ibv_query_pkey(ibv_context*, std::uint8_t port, int index, std::uint16_t* pkey) {
  if (port != kPort || index != 0) return fail(EINVAL), -1;
  *pkey = 0xffff;
  return 0;
}

int mlx5dv_query_device(ibv_context*, mlx5dv_context* attr) {
  attr->version = 0;
  attr->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1;
  attr->comp_mask = 0;
  return 0;
}

// Refuses, because there is no data-direct path: callers take ENODEV for "none" and any other error as a
// failure.
int mlx5dv_get_data_direct_sysfs_path(ibv_context*, char*, std::size_t) { return fail(ENODEV); }

}  // namespace collbench::softmlx5::verbs::api
