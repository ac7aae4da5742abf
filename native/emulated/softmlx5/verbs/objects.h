#pragma once
// Objects behind the pointers that clients hold: each starts with the struct of the public interface.
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulated/softmlx5/nic/card.h"
#include "vendor_api/mlx5/mlx5dv_abi.h"

namespace collbench::softmlx5::verbs {

/// Frees the memory of a queue.
struct FreePages {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using Pages = std::unique_ptr<std::byte, FreePages>;
/// Allocates memory for a queue: whole pages, filled with zeros. nullptr if there is no memory.
Pages allocate_pages(std::size_t bytes);

/// The context that ibv_open_device() returns. It is never freed, because a thread may still wait in
/// ibv_get_async_event().
struct DeviceContext : rdma::verbs_context {
  explicit DeviceContext(Card& its_card);
  static DeviceContext& of(rdma::ibv_context* context);

  Card& card;
  std::mutex mutex;      // guards the members below
  unsigned waiting = 0;  // threads inside ibv_get_async_event
  bool closed = false;
};

struct Domain : rdma::ibv_pd {
  std::uint32_t number = 0;
  Domain* parent = nullptr;        // for a parent domain: the domain from which it was made
  std::atomic<unsigned> users{0};  // objects made in this domain
};

/// Counts one user of a protection domain as long as this object exists, so that the domain cannot be freed.
class DomainUse {
 public:
  explicit DomainUse(rdma::ibv_pd* pd) : domain_(*static_cast<Domain*>(pd)) { ++domain_.users; }
  ~DomainUse() { --domain_.users; }
  DomainUse(const DomainUse&) = delete;
  DomainUse& operator=(const DomainUse&) = delete;

 private:
  Domain& domain_;
};

struct MemoryRegion : rdma::ibv_mr {
  explicit MemoryRegion(rdma::ibv_pd* its_pd) : ibv_mr{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
};

struct AddressHandle : rdma::ibv_ah {
  explicit AddressHandle(rdma::ibv_pd* its_pd) : ibv_ah{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
  std::array<std::byte, 48> vector{};
};

/// Work request ids of posted receives. Each gets a slot number, which the card returns with the completion.
/// The caller must hold the queue's lock: the type itself is not thread-safe.
class ReceiveSlots {
 public:
  void open(std::uint32_t slots);
  [[nodiscard]] std::uint32_t capacity() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
  /// Stores the id (wr_id) of a posted receive.
  /// @param slot receives the slot number
  /// @returns false if all slots are in use
  bool take(std::uint64_t id, std::uint16_t* slot);
  /// Frees the slot when its receive has completed.
  /// @returns the id stored in it; 0 if the slot is not in use
  std::uint64_t release(std::uint16_t slot);
  void clear();

 private:
  std::vector<std::uint64_t> ids_;
  std::vector<bool> taken_;
  std::vector<std::uint16_t> free_;
};

struct SharedReceiveQueue : rdma::ibv_srq {
  explicit SharedReceiveQueue(rdma::ibv_pd* its_pd) : ibv_srq{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
  std::uint32_t number = 0, max_pieces = 0;
  std::mutex lock;
  ReceiveSlots slots;
};

struct QueuePair;

struct CompletionQueue : rdma::ibv_cq {
  std::uint32_t number = 0;
  unsigned log_entries = 0;
  Pages ring;
  Pages doorbell;
  std::mutex lock;  // guards the members below
  std::uint32_t consumed = 0;
  std::unordered_map<std::uint32_t, QueuePair*> queues;  // queue pairs that complete here, by number
};

struct QueuePair : rdma::ibv_qp {
  explicit QueuePair(rdma::ibv_pd* its_pd) : ibv_qp{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
  std::uint32_t number = 0;
  bool is_dc_target = false;
  bool signal_all = false;
  rdma::ibv_qp_cap cap{};
  rdma::ibv_qp_attr attributes{};  // attributes set so far
  Pages ring;
  Pages doorbell;
  unsigned log_blocks = 0;

  std::mutex send_lock;  // guards the members below
  std::uint32_t posted_blocks = 0;
  std::uint32_t head = 0, max_posted = 0;  // counted in requests
  std::atomic<std::uint32_t> tail{0};
  std::vector<std::uint64_t> ids;    // ids of work requests, by first block
  std::vector<std::uint32_t> heads;  // number of the request, by first block

  std::mutex receive_lock;
  ReceiveSlots receives;  // used if the queue has no shared receive queue
};

inline DeviceContext& DeviceContext::of(rdma::ibv_context* context) {
  return *static_cast<DeviceContext*>(rdma::extended(context));
}
inline Card& card_of(rdma::ibv_context* context) { return DeviceContext::of(context).card; }
inline Domain& of(rdma::ibv_pd* pd) { return *static_cast<Domain*>(pd); }
inline CompletionQueue& of(rdma::ibv_cq* cq) { return *static_cast<CompletionQueue*>(cq); }
inline SharedReceiveQueue& of(rdma::ibv_srq* srq) { return *static_cast<SharedReceiveQueue*>(srq); }
inline QueuePair& of(rdma::ibv_qp* qp) { return *static_cast<QueuePair*>(qp); }
inline AddressHandle& of(rdma::ibv_ah* ah) { return *static_cast<AddressHandle*>(ah); }

/// Returns the number by which the emulated adapter knows a completion queue; 0 for nullptr.
inline std::uint32_t number_of(rdma::ibv_cq* cq) { return cq == nullptr ? 0 : of(cq).number; }

/// Drops the unread completions of a queue pair that is being destroyed or reset: marks them in the queue so
/// that ibv_poll_cq() skips them, and frees the requests that they complete.
/// @param number number of the queue pair
void forget_entries(CompletionQueue& cq, std::uint32_t number);

/// Sets errno to `error` and returns `error`, for functions of the verbs interface.
int fail(int error);
template <typename Pointer>
Pointer* fail_with(int error) {
  fail(error);
  return nullptr;
}

enum class MemoryPlacement { kNowhere, kHost, kGpu };

/// Returns where the memory at `address` lies. Only this address decides whether it is GPU memory. For other
/// memory, the result is kNowhere if any page of [address, address + bytes) is not mapped. It is kNowhere for
/// GPU memory that the card cannot copy, too.
MemoryPlacement memory_placement(const void* address, std::size_t bytes);

/// Implements ibv_create_qp: creates a reliable connection (RC) queue pair and writes its actual limits to
/// attr.cap.
/// @param dc_access_key nullptr; or the key of a DC target, which is created instead, with attr.cap unchanged
/// @returns nullptr with errno set on failure
rdma::ibv_qp* create_queue_pair(rdma::ibv_pd* pd, rdma::ibv_qp_init_attr& attr,
                                const std::uint64_t* dc_access_key);

/// Returns the size in bytes of the longest work queue entry of a queue with these capabilities; kMaxWqeBytes
/// + 1 if the inline data alone is too long.
std::uint32_t request_bytes(const rdma::ibv_qp_cap& cap);

/// Drops all posted requests and unread completions of the queue pair, as a change to state RESET requires.
void empty_queues(QueuePair& queue);

}  // namespace collbench::softmlx5::verbs
