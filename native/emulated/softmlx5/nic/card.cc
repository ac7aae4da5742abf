#include "emulated/softmlx5/nic/card.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "core/clock.h"
#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/nic/inside.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {
namespace {

constexpr std::uint32_t kMaxNumber = 0xFFFFFF;
constexpr unsigned kMaxLogBlocks = 15, kMaxLogEntries = 22;

std::mutex open_mutex;
Card* the_card = nullptr;

/// Lock on the emulated adapter for a client's call. It also counts the client as waiting: the adapter's
/// thread, which takes the lock again and again, then lets the client go first.
class CardLock {
 public:
  CardLock(std::mutex& mutex, std::atomic<int>& callers) : callers_(callers), lock_(mutex, std::defer_lock) {
    callers_.fetch_add(1);
    lock_.lock();
  }
  ~CardLock() { callers_.fetch_sub(1); }
  CardLock(const CardLock&) = delete;
  CardLock& operator=(const CardLock&) = delete;

 private:
  std::atomic<int>& callers_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

#define CARD_TURN const CardLock turn(inside_->mutex, inside_->callers)

Card::Card() : inside_(std::make_unique<Inside>()) {}

Card* Card::open(std::string* problem) {
  const std::lock_guard lock(open_mutex);
  if (the_card != nullptr) return the_card;
  std::string why;
  // Never deleted: its engine runs until the process ends.
  auto* card = new Card;
  if (!start_card(*card->inside_, &why)) {
    if (problem != nullptr) *problem = why;
    return nullptr;  // opened files stay open; a second try reads the environment again
  }
  // A child of fork has none of the threads, so it opens a card of its own.
  static const int once = pthread_atfork(nullptr, nullptr, [] { the_card = nullptr; });
  static_cast<void>(once);
  start_engine(*card->inside_);
  return the_card = card;
}

std::uint16_t Card::lid() const noexcept { return inside_->fabric.lid(); }
double Card::link_gbitps() const noexcept { return inside_->model.gbitps; }

bool Card::port_is_up() const noexcept {
  CARD_TURN;
  return !inside_->port_is_down;
}

std::uint32_t Card::create_domain(Owner owner) {
  CARD_TURN;
  const std::uint32_t number = inside_->next_number();
  inside_->domains[number].owner = owner;
  return number;
}

bool Card::destroy_domain(std::uint32_t domain) {
  CARD_TURN;
  const auto found = inside_->domains.find(domain);
  if (found == inside_->domains.end() || found->second.users != 0) return false;
  inside_->domains.erase(found);
  return true;
}

std::uint32_t Card::register_memory(const Region& region) {
  // Outside the lock, because the driver may take long.
  const bool on_gpu = is_gpu_memory(region.base);
  if (on_gpu && !prepare_gpu_copies(region.base)) return 0;
  CARD_TURN;
  Region known = region;
  known.on_gpu = on_gpu;
  return inside_->memory.add(known);
}

bool Card::deregister_memory(std::uint32_t key) {
  CARD_TURN;
  return inside_->memory.remove(key);
}

std::uint32_t Card::create_completion_queue(const CompletionQueueSetup& setup) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(setup.entries) % mlx5::kEntryBytes == 0;
  if (setup.entries == nullptr || !is_aligned || setup.log_entries > kMaxLogEntries) return 0;
  CARD_TURN;
  const std::uint32_t number = inside_->next_number();
  inside_->completion_queues[number].setup = setup;
  return number;
}

bool Card::destroy_completion_queue(std::uint32_t number) {
  CARD_TURN;
  const auto found = inside_->completion_queues.find(number);
  if (found == inside_->completion_queues.end() || found->second.users != 0) return false;
  inside_->completion_queues.erase(found);
  return true;
}

std::uint32_t Card::create_receive_queue(std::uint32_t domain) {
  CARD_TURN;
  if (!inside_->domains.contains(domain)) return 0;
  const std::uint32_t number = inside_->next_number();
  inside_->receive_queues[number] = {domain, true, {}};
  return number;
}

bool Card::destroy_receive_queue(std::uint32_t number) {
  CARD_TURN;
  for (const auto& [own, pair] : inside_->queue_pairs)
    if (pair->setup.receives == number) return false;
  return inside_->receive_queues.erase(number) != 0;
}

bool Card::post_receive(std::uint32_t number, Receive receive) {
  CARD_TURN;
  const auto found = inside_->receive_queues.find(number);
  if (found == inside_->receive_queues.end()) return false;
  const QueuePair* pair = inside_->find(number);
  if (pair != nullptr && pair->facts.state == QueueState::kError) {
    inside_->put_completion(pair->setup.receive_completions,
                            {mlx5::kEntryReceiveError, mlx5::kFlushed, 0, number, receive.counter, 0, 0});
    return true;
  }
  found->second.posted.push_back(std::move(receive));
  return true;
}

std::uint32_t Card::create_queue_pair(const QueuePairSetup& setup) {
  const bool sends = setup.send_ring != nullptr;
  if (sends && (setup.doorbell == nullptr || setup.log_blocks > kMaxLogBlocks)) return 0;
  CARD_TURN;
  if (!inside_->may_use(setup)) return 0;
  auto& queues = inside_->completion_queues;
  const std::uint32_t number = inside_->next_number();
  auto pair = std::make_unique<QueuePair>();
  pair->number = number;
  pair->setup = setup;
  if (setup.ring_on_gpu) pair->ring_copy.resize(std::size_t{mlx5::kBlockBytes} << setup.log_blocks);
  if (setup.receives == 0) inside_->receive_queues[number] = {setup.domain, false, {}};
  for (const std::uint32_t queue : {setup.send_completions, setup.receive_completions})
    if (queue != 0) ++queues[queue].users;
  ++inside_->domains[setup.domain].users;
  if (setup.uar != nullptr) ++inside_->uar_users[setup.uar];
  inside_->queue_pairs[number] = std::move(pair);
  inside_->share_uar(setup.uar);
  return number;
}

bool Card::destroy_queue_pair(std::uint32_t number) {
  CARD_TURN;
  const auto found = inside_->queue_pairs.find(number);
  if (found == inside_->queue_pairs.end()) return false;
  const QueuePairSetup setup = found->second->setup;
  for (const std::uint32_t queue : {setup.send_completions, setup.receive_completions})
    if (queue != 0) --inside_->completion_queues[queue].users;
  --inside_->domains[setup.domain].users;
  inside_->receive_queues.erase(number);
  inside_->queue_pairs.erase(found);
  if (setup.uar != nullptr && --inside_->uar_users[setup.uar] == 0) inside_->uar_users.erase(setup.uar);
  return true;
}

bool Card::modify_queue_pair(std::uint32_t number, const QueuePairChange& change) {
  CARD_TURN;
  QueuePair* pair = inside_->find(number);
  if (pair == nullptr) return false;
  const QueueState from = pair->facts.state, to = change.state;
  const bool is_next = static_cast<int>(to) == static_cast<int>(from) + 1 && to != QueueState::kError;
  const bool is_same = to == from && to != QueueState::kError;
  if (!is_next && !is_same && to != QueueState::kError && to != QueueState::kReset) return false;
  if (change.remote_lid) pair->facts.remote_lid = *change.remote_lid;
  if (change.remote_queue) pair->facts.remote_queue = *change.remote_queue;
  if (change.access) pair->facts.access = *change.access;
  if (change.receiver_retries) pair->receiver_retries = *change.receiver_retries;
  pair->facts.state = to;
  if (to == QueueState::kReset) inside_->reset(*pair);
  if (to == QueueState::kError) {
    if (pair->can_send()) inside_->read_doorbell(*pair);
    inside_->flush(*pair);
  }
  return true;
}

std::optional<QueuePairFacts> Card::query_queue_pair(std::uint32_t number) {
  CARD_TURN;
  const QueuePair* pair = inside_->find(number);
  if (pair == nullptr) return std::nullopt;
  return pair->facts;
}

std::optional<QueueCounters> Card::queue_counters(std::uint32_t number) {
  CARD_TURN;
  const QueuePair* pair = inside_->find(number);
  if (pair == nullptr) return std::nullopt;
  return pair->counters;
}

PortCounters Card::port_counters() {
  CARD_TURN;
  return inside_->port;
}

void Card::progress() {
  inside_->polled_ns.store(now_ns(), std::memory_order_relaxed);
  const std::unique_lock lock(inside_->mutex, std::try_to_lock);
  if (lock.owns_lock()) inside_->step();
}

/// True if all objects that the setup names exist and belong to the setup's owner.
bool Card::Inside::may_use(const QueuePairSetup& setup) const {
  const auto own_domain = [&](std::uint32_t number) {
    const auto found = domains.find(number);
    return found != domains.end() && found->second.owner == setup.owner;
  };
  const auto own_completions = [&](std::uint32_t number) {
    const auto found = completion_queues.find(number);
    return number == 0 || (found != completion_queues.end() && found->second.setup.owner == setup.owner);
  };
  const auto receives = receive_queues.find(setup.receives);
  // A shared receive queue has its own domain, whose rights apply to its receives.
  const bool may_receive =
      setup.receives == 0 ||
      (receives != receive_queues.end() && receives->second.is_shared && own_domain(receives->second.domain));
  return own_domain(setup.domain) && own_completions(setup.send_completions) &&
         own_completions(setup.receive_completions) && may_receive;
}

QueuePair* Card::Inside::find(std::uint32_t number) noexcept {
  const auto found = queue_pairs.find(number);
  return found == queue_pairs.end() ? nullptr : found->second.get();
}

std::uint32_t Card::Inside::next_number() noexcept {
  do {
    last_number = last_number % kMaxNumber + 1;
  } while (queue_pairs.contains(last_number) || completion_queues.contains(last_number) ||
           receive_queues.contains(last_number) || domains.contains(last_number));
  return last_number;
}

}  // namespace collbench::softmlx5
