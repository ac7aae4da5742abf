#pragma once
// What stands behind the pointers that clients hold: each object begins with the struct of the interface.
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

#include "softmlx5/include/mlx5dv_abi.h"
#include "softmlx5/nic/card.h"

namespace collbench::softmlx5::verbs {

/// Memory of queues: whole pages of zeros.
struct FreePages {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using Pages = std::unique_ptr<std::byte, FreePages>;
/// nullptr when there is no memory.
Pages allocate_pages(std::size_t bytes);

/// An opened device. Never freed, because a thread may still wait for its events.
struct Context : rdma::verbs_context {
  explicit Context(Card& its_card);
  static Context& of(rdma::ibv_context* context);

  Card& card;
  std::mutex mutex;      // of what follows
  unsigned waiting = 0;  // threads in ibv_get_async_event
  bool closed = false;
};

struct Domain : rdma::ibv_pd {
  std::uint32_t number = 0;
  Domain* parent = nullptr;        // of a parent domain: the domain it was made of
  std::atomic<unsigned> users{0};  // objects made in this one
};

/// Keeps a domain in use.
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

/// Ids of posted receives by slot; the card hands the slot back with the completion. The owner locks.
class ReceiveSlots {
 public:
  void open(std::uint32_t slots);
  [[nodiscard]] std::uint32_t capacity() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
  /// False when all are taken.
  bool take(std::uint64_t id, std::uint16_t* slot);
  /// Gives the slot back; its id.
  std::uint64_t release(std::uint16_t slot);
  void clear();

 private:
  std::vector<std::uint64_t> ids_;
  std::vector<bool> taken_;
  std::vector<std::uint16_t> free_;
};

struct SharedReceives : rdma::ibv_srq {
  explicit SharedReceives(rdma::ibv_pd* its_pd) : ibv_srq{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
  std::uint32_t number = 0, most_pieces = 0;
  std::mutex lock;
  ReceiveSlots slots;
};

struct QueuePair;

struct CompletionQueue : rdma::ibv_cq {
  std::uint32_t number = 0;
  unsigned log_entries = 0;
  Pages ring;
  Pages doorbell;
  std::mutex lock;  // of what follows
  std::uint32_t consumed = 0;
  std::unordered_map<std::uint32_t, QueuePair*> queues;  // that complete here, by number
};

struct QueuePair : rdma::ibv_qp {
  explicit QueuePair(rdma::ibv_pd* its_pd) : ibv_qp{}, use(its_pd) { pd = its_pd; }
  DomainUse use;
  std::uint32_t number = 0;
  bool is_dc_target = false;
  bool signal_all = false;
  rdma::ibv_qp_cap cap{};
  rdma::ibv_qp_attr attributes{};  // as set so far
  Pages ring;
  Pages doorbell;
  unsigned log_blocks = 0;

  std::mutex send_lock;  // of what follows
  std::uint32_t posted_blocks = 0;
  std::uint32_t head = 0, most_posted = 0;  // in requests
  std::atomic<std::uint32_t> tail{0};
  std::vector<std::uint64_t> ids;    // by first block
  std::vector<std::uint32_t> heads;  // request number, by first block

  std::mutex receive_lock;
  ReceiveSlots receives;  // without a shared queue
};

inline Context& Context::of(rdma::ibv_context* context) {
  return *static_cast<Context*>(rdma::extended(context));
}
inline Card& card_of(rdma::ibv_context* context) { return Context::of(context).card; }
inline Domain& of(rdma::ibv_pd* pd) { return *static_cast<Domain*>(pd); }
inline CompletionQueue& of(rdma::ibv_cq* cq) { return *static_cast<CompletionQueue*>(cq); }
inline SharedReceives& of(rdma::ibv_srq* srq) { return *static_cast<SharedReceives*>(srq); }
inline QueuePair& of(rdma::ibv_qp* qp) { return *static_cast<QueuePair*>(qp); }
inline AddressHandle& of(rdma::ibv_ah* ah) { return *static_cast<AddressHandle*>(ah); }

/// The number of a completion queue, 0 for none.
inline std::uint32_t number_of(rdma::ibv_cq* cq) { return cq == nullptr ? 0 : of(cq).number; }

/// Makes the queue's entries that were not polled yet ones of no queue, and ends what they tell of.
void forget_entries(CompletionQueue& cq, std::uint32_t number);

/// errno = `error`, and the same as answer.
int fail(int error);
template <typename Pointer>
Pointer* fail_with(int error) {
  fail(error);
  return nullptr;
}

}  // namespace collbench::softmlx5::verbs
