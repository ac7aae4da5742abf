#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "core/clock.h"
#include "core/cores.h"
#include "core/environment.h"
#include "core/spin.h"
#include "emulated/softmlx5/nic/inside.h"

namespace collbench::softmlx5 {
namespace {

constexpr std::uint32_t kLooksPerAccept = 64;
constexpr std::int64_t kLostNs = 1'000'000;    // interval between checks for lost peers
constexpr std::int64_t kClientNs = 1'000'000;  // a client that polled within this time needs no engine
constexpr int kClientNapUs = 500;
constexpr int kFewCores = 4;
// A doorbell does not wake the engine, so it naps at most as long as a first doorbell may wait.
constexpr int kFirstNapUs = 20, kLongestNapUs = 1'000;

void run(Card::Inside& inside) {
  const bool has_cores = usable_cores() > kFewCores;
  const std::uint32_t spins = has_cores ? Spinner::kDefaultSpins : 200;
  std::uint32_t idle = 0;
  int nap_us = kFirstNapUs;
  for (;;) {
    const std::int64_t polled = inside.polled_ns.load(std::memory_order_relaxed);
    if (polled != 0 && now_ns() - polled < kClientNs) {
      inside.fabric.wait(kClientNapUs);
      idle = 0;
      nap_us = kFirstNapUs;
      const std::int64_t again = inside.polled_ns.load(std::memory_order_relaxed);
      if (again != polled) continue;
    }
    while (inside.callers.load(std::memory_order_relaxed) > 0) yield_core();
    bool moved = false;
    {
      const std::lock_guard lock(inside.mutex);
      moved = inside.step();
    }
    if (moved) {
      idle = 0;
      nap_us = kFirstNapUs;
      continue;
    }
    if (++idle < spins) {
      cpu_relax();
      if (!has_cores && idle % 16 == 0) yield_core();
      continue;
    }
    bool is_silent = false;
    {
      const std::lock_guard lock(inside.mutex);
      inside.fabric.announce_sleep(true);
      inside.fabric.accept();
      is_silent = inside.fabric.is_silent();
    }
    if (is_silent) inside.fabric.wait(nap_us);
    const std::lock_guard lock(inside.mutex);
    inside.fabric.announce_sleep(false);
    inside.fabric.accept();
    inside.looked_for_lost_ns = 0;  // also reads the message that woke the engine
    nap_us = nap_us < kLongestNapUs ? 2 * nap_us : kLongestNapUs;
  }
}

}  // namespace

bool start_card(Card::Inside& inside, std::string* problem) {
  std::string fabric = environment_value("SOFTMLX5_FABRIC");
  if (fabric.empty()) fabric = "user" + std::to_string(geteuid());
  if (fabric.size() > 64 || fabric.find_first_of("/ \n\t") != std::string::npos) {
    *problem = "SOFTMLX5_FABRIC must have at most 64 characters and no space or slash";
    return false;
  }
  const auto model = parse_link_model(environment_value("SOFTMLX5_LINK"), problem);
  if (!model) return false;
  inside.model = *model;
  inside.faults = parse_faults(environment_value("SOFTMLX5_FAULT"), problem);
  if (!inside.faults) return false;
  inside.model.slow_down(inside.faults->slow_factor);
  return inside.fabric.join(fabric, problem);
}

void start_engine(Card::Inside& inside) {
  std::thread([&inside] {
    use_any_core();
    run(inside);
  }).detach();
}

bool Card::Inside::step() {
  bool moved = false;
  if (steps++ % kLooksPerAccept == 0) {
    fabric.accept();
    const std::int64_t now = now_ns();
    if (now - looked_for_lost_ns > kLostNs) {
      looked_for_lost_ns = now;
      mark_lost();
    }
  }
  for (const auto& [number, pair] : queue_pairs) {
    if (pair->can_send()) moved = send(*pair) || moved;
    if (!pair->parked.empty()) moved = take_parked(*pair) || moved;
  }
  for (const auto& [lid, channel] : fabric.outgoing())
    if (!channel->is_lost) moved = take_answers(*channel) || moved;
  // Loops by index, because a request may make this process connect to itself, which adds a channel.
  for (std::size_t n = 0; n < fabric.incoming().size(); ++n)
    if (!fabric.incoming()[n]->is_lost) moved = take_requests(*fabric.incoming()[n]) || moved;
  return moved;
}

void Card::Inside::mark_lost() {
  if (!fabric.mark_lost()) return;
  for (const auto& [lid, channel] : fabric.outgoing()) {
    if (!channel->is_lost) continue;
    take_answers(*channel);  // answers sent before it ended still count
    fail_all_to(lid);
  }
  fabric.drop_lost();  // another process may get this LID next
}

void Card::Inside::reset(QueuePair& pair) {
  const std::uint32_t number = pair.number;
  const QueuePairSetup setup = pair.setup;
  const QueueCounters counters = pair.counters;
  const std::uint16_t lid = pair.facts.remote_lid;
  CardConnection* channel = lid == 0 ? nullptr : fabric.to(lid);
  pair = QueuePair{};
  pair.number = number;
  pair.setup = setup;
  pair.counters = counters;
  const auto own = receive_queues.find(number);
  if (own != receive_queues.end()) own->second.posted.clear();
  share_uar(setup.uar);
  if (channel == nullptr || !channel->out.has_room(0)) return;
  FrameHeader header;
  header.kind = FrameKind::kForget;
  header.source_queue = number;
  channel->out.put(header);
  channel->wake();
}

void Card::Inside::share_uar(const std::byte* uar) noexcept {
  if (uar == nullptr) return;
  const bool is_alone = uar_users[uar] == 1;
  for (const auto& [number, pair] : queue_pairs)
    if (pair->setup.uar == uar) pair->owns_uar = is_alone;
}

}  // namespace collbench::softmlx5
