#pragma once
// The target of dynamically connected queues. Every initiator that knows its number and key can write through
// it. No sends arrive there, so its shared receive queue stays empty.
#include <cstdint>
#include <memory>

#include "transports/ibgda/library.h"

namespace collbench::ibgda {

inline constexpr std::uint8_t kPort = 1;  // port number, 1 on every adapter

class DcTarget {
 public:
  /// Creates a target that is ready to receive. @throws Error(kUnavailable) naming the step that the adapter
  /// refused
  DcTarget(std::shared_ptr<const Library> library, rdma::ibv_context* context, rdma::ibv_pd* domain,
           const rdma::ibv_port_attr& port);
  ~DcTarget();
  DcTarget(const DcTarget&) = delete;
  DcTarget& operator=(const DcTarget&) = delete;

  [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }
  /// Access key that initiators must present; random, never 0.
  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

 private:
  void create(rdma::ibv_context* context, rdma::ibv_pd* domain);
  void make_ready(const rdma::ibv_port_attr& port);
  void release() noexcept;

  std::shared_ptr<const Library> library_;
  std::uint64_t key_;
  rdma::ibv_srq* receives_ = nullptr;
  rdma::ibv_cq* completions_ = nullptr;
  rdma::ibv_qp* pair_ = nullptr;
};

}  // namespace collbench::ibgda
