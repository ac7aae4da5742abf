#pragma once
// The target of dynamically connected queues. Every initiator that knows its number and key can write through
// it. No sends arrive there, so its shared receive queue stays empty.
#include <cstdint>
#include <memory>

#include "transports/ibgda/library.h"

namespace collbench::ibgda {

inline constexpr std::uint8_t kPort = 1;  // port number, 1 on every adapter

/// Target of dynamically connected (DC) queues: the object through which peers write into this process's
/// memory.
class DcTarget {
 public:
  /// Creates a target to which peers can write at once.
  /// @param domain protection domain of the memory that peers write
  /// @throws Error(kUnavailable) naming the step that the adapter refused
  DcTarget(std::shared_ptr<const VerbsLibrary> library, rdma::ibv_context* context, rdma::ibv_pd* domain,
           const rdma::ibv_port_attr& port);
  ~DcTarget();
  DcTarget(const DcTarget&) = delete;
  DcTarget& operator=(const DcTarget&) = delete;

  [[nodiscard]] std::uint32_t number() const noexcept { return pair_->qp_num; }
  /// Returns the access key that every entry of a peer's queue must contain; random, never 0.
  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

 private:
  void create(rdma::ibv_context* context, rdma::ibv_pd* domain);
  void make_ready(const rdma::ibv_port_attr& port);
  void release() noexcept;

  std::shared_ptr<const VerbsLibrary> library_;
  std::uint64_t key_;
  rdma::ibv_srq* receives_ = nullptr;
  rdma::ibv_cq* completions_ = nullptr;
  rdma::ibv_qp* pair_ = nullptr;
};

}  // namespace collbench::ibgda
