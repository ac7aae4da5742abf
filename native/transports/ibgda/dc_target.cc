#include "transports/ibgda/dc_target.h"

#include <cerrno>
#include <random>

#include "core/error.h"

namespace collbench::ibgda {
namespace {

using namespace rdma;

std::uint64_t fresh_key() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random() | 1U;
}

[[noreturn]] void refused(const char* step, int error) {
  throw system_error(ErrorCode::kUnavailable,
                     std::string("ibgda: the adapter refused a DC target (") + step + ")", error);
}

}  // namespace

DcTarget::DcTarget(std::shared_ptr<const VerbsLibrary> library, ibv_context* context, ibv_pd* domain,
                   const ibv_port_attr& port)
    : library_(std::move(library)), key_(fresh_key()) {
  try {
    create(context, domain);
    make_ready(port);
  } catch (...) {
    release();
    throw;
  }
}

DcTarget::~DcTarget() { release(); }

void DcTarget::release() noexcept {
  if (pair_ != nullptr) library_->ibv_destroy_qp(pair_);
  if (completions_ != nullptr) library_->ibv_destroy_cq(completions_);
  if (receives_ != nullptr) library_->ibv_destroy_srq(receives_);
}

void DcTarget::create(ibv_context* context, ibv_pd* domain) {
  ibv_srq_init_attr receives{nullptr, {1, 1, 0}};
  receives_ = library_->ibv_create_srq(domain, &receives);
  if (receives_ == nullptr) refused("ibv_create_srq", errno);
  completions_ = library_->ibv_create_cq(context, 1, nullptr, nullptr, 0);
  if (completions_ == nullptr) refused("ibv_create_cq", errno);
  ibv_qp_init_attr_ex attr{};
  attr.send_cq = attr.recv_cq = completions_;
  attr.srq = receives_;
  attr.qp_type = IBV_QPT_DRIVER;
  attr.comp_mask = IBV_QP_INIT_ATTR_PD;
  attr.pd = domain;
  mlx5dv_qp_init_attr own{};
  own.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  own.dc_init_attr = {MLX5DV_DCTYPE_DCT, key_};
  pair_ = library_->mlx5dv_create_qp(context, &attr, &own);
  if (pair_ == nullptr) refused("mlx5dv_create_qp", errno);
}

void DcTarget::make_ready(const ibv_port_attr& port) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = kPort;
  attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  const int init = library_->ibv_modify_qp(
      pair_, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (init != 0) refused("RESET to INIT", init);
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = port.active_mtu;
  attr.min_rnr_timer = 12;
  attr.ah_attr.port_num = kPort;
  const int ready = library_->ibv_modify_qp(
      pair_, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU);
  if (ready != 0) refused("INIT to RTR", ready);
}

}  // namespace collbench::ibgda
