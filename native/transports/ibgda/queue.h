#pragma once
// A queue whose rings lie in this process's memory: whoever can write that memory can initiate.
#include <memory>

#include "transports/ibgda/device.h"
#include "transports/ibgda/entry.h"

namespace collbench::ibgda {

/// Address of one end; plain data, exchanged out of band.
struct QueueAddress {
  std::uint32_t queue = 0;  // number of the queue pair, or of the DC target
  std::uint16_t lid = 0;
  std::uint8_t is_ethernet = 0;
  std::uint8_t mtu = 0;
  std::uint64_t access_key = 0;  // key of the DC target; 0 = reliable connection
  rdma::ibv_gid gid{};           // set on Ethernet only
};

class Queue {
 public:
  /// log2 of the blocks in the send ring; the completion queue has as many entries
  static constexpr unsigned kLogBlocks = 8;

  /// Makes rings, completion queue and queue pair with DEVX; the queue is not connected yet.
  /// @throws Error(kUnavailable) naming the command that the adapter refused
  explicit Queue(std::shared_ptr<const IbgdaDevice> device, unsigned log_blocks = kLogBlocks);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] QueueAddress address() const;
  /// Connects to the peer. A reliable connection goes from reset to ready to send, once. A DC initiator may
  /// connect at any time; later entries go to that peer.
  /// @throws Error(kUnavailable), Error(kProtocol) if the peer has queues of the other kind
  void connect(const QueueAddress& peer);
  [[nodiscard]] const QueueView& view() const noexcept { return view_; }
  [[nodiscard]] const IbgdaDevice& device() const noexcept { return *device_; }
  /// Page of the doorbell register. A GPU must be able to access it and the ring memory below.
  [[nodiscard]] void* bell_page() const noexcept;
  [[nodiscard]] std::pair<void*, std::size_t> rings() const noexcept { return {memory_, bytes_}; }

 private:
  void create_completion_queue();
  void create_queue_pair();
  void make_ready(const QueueAddress* peer);
  void modify(std::uint16_t command, const QueueAddress* peer);
  void release() noexcept;

  std::shared_ptr<const IbgdaDevice> device_;
  unsigned log_blocks_;
  void* memory_ = nullptr;  // send ring, completion entries, doorbell records
  std::size_t bytes_ = 0;
  rdma::mlx5dv_devx_umem* registered_ = nullptr;
  rdma::mlx5dv_devx_uar* uar_ = nullptr;
  rdma::mlx5dv_devx_obj* completions_ = nullptr;
  rdma::mlx5dv_devx_obj* pair_ = nullptr;
  std::uint32_t completion_number_ = 0;
  QueueView view_{};
};

}  // namespace collbench::ibgda
