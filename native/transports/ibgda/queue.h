#pragma once
// A queue whose rings lie in this process's memory: whoever can write that memory can initiate.
#include <memory>

#include "transports/ibgda/device.h"
#include "transports/ibgda/entry.h"

namespace collbench::ibgda {

/// Data with which a peer connects to a queue. Plain data; the ends send it to each other by other means
/// (TCP).
struct QueueAddress {
  std::uint32_t queue = 0;  // number of the queue pair, or of the DC target
  std::uint16_t lid = 0;
  std::uint8_t is_ethernet = 0;
  std::uint8_t mtu = 0;
  std::uint64_t access_key = 0;  // key of the DC target; 0 = reliable connection
  rdma::ibv_gid gid{};           // used on Ethernet only
};

/// A send queue with its completion queue, in host memory of this process. Any CPU thread or GPU that can
/// write that memory and the doorbell register can start transfers.
class Queue {
 public:
  /// Base-2 logarithm of the default number of blocks in the send ring. The completion queue has as many
  /// entries.
  static constexpr unsigned kLogBlocks = 8;

  /// Creates the rings, the completion queue and the queue pair by DEVX commands. The queue is not connected
  /// yet.
  /// @param log_blocks base-2 logarithm of the number of blocks in the send ring
  /// @throws Error(kUnavailable) naming the command that the adapter refused
  explicit Queue(std::shared_ptr<const IbgdaDevice> device, unsigned log_blocks = kLogBlocks);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] QueueAddress address() const;
  /// Connects to the peer. A reliable connection changes from state reset to ready-to-send; that is possible
  /// once. A DC queue may connect again at any time; entries written later go to the new peer.
  /// @throws Error(kUnavailable) if the adapter refuses; Error(kProtocol) if the peer has queues of the other
  /// type
  void connect(const QueueAddress& peer);
  [[nodiscard]] const QueueView& view() const noexcept { return view_; }
  [[nodiscard]] const IbgdaDevice& device() const noexcept { return *device_; }
  /// Returns the memory page with the doorbell register. A GPU that drives the queue must be able to access
  /// this page and the memory of rings().
  [[nodiscard]] void* bell_page() const noexcept;
  /// Returns address and size of the memory with send ring, completion entries and doorbell records.
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
