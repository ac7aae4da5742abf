#include "workloads/controlpath/put_queues.h"

#include <cstring>

#include "core/spin.h"

namespace collbench::controlpath {

PutQueues::PutQueues(Engine& engine, const PutLoad& load, int peer, std::byte* source, std::byte* target)
    : engine_(engine),
      port_(engine.put_port()),
      load_(load),
      source_(source),
      target_(target),
      source_region_(port_.expose(source, load.total_bytes())),
      target_region_(port_.expose(target, load.total_bytes())),
      tickets_(std::size_t{load.queues} * load.groups()) {
  for (std::uint32_t q = 0; q < load_.queues; ++q) queues_.push_back(port_.open_queue());
  connect(peer);
}

/// Connects the queues to those of `peer`. The ranks exchange their addresses as messages, through the
/// engine's buffers.
void PutQueues::connect(int peer) {
  const PutTarget here = port_.target_of(*target_region_, target_);
  std::vector<std::byte> text(sizeof here + queues_.size() * sizeof(PutQueue::Address));
  std::memcpy(text.data(), &here, sizeof here);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const PutQueue::Address address = queues_[q]->address();
    std::memcpy(text.data() + sizeof here + q * sizeof address, address.data(), sizeof address);
  }
  engine_.upload(source_, text.data(), text.size());
  exchange(peer, text.size());
  engine_.download(text.data(), target_, text.size());
  std::memcpy(&peer_, text.data(), sizeof peer_);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    PutQueue::Address address;
    std::memcpy(address.data(), text.data() + sizeof peer_ + q * sizeof address, sizeof address);
    queues_[q]->connect(address);
  }
  exchange(peer, sizeof here);  // No rank may put before the other end is ready.
}

void PutQueues::exchange(int peer, std::size_t bytes) {
  const PeerMessage messages[] = {{PeerMessage::Direction::kReceive, peer, target_, bytes},
                                  {PeerMessage::Direction::kSend, peer, source_, bytes}};
  engine_.transfer(messages);
  engine_.synchronize();
}

void PutQueues::write(std::uint32_t group) {
  const std::uint32_t first = group * load_.batch;
  for (std::uint32_t q = 0; q < load_.queues; ++q)
    for (std::uint32_t n = 0; n < load_.batch; ++n) {
      const std::size_t at = offset(q, first + n);
      const bool is_last = n + 1 == load_.batch;
      const std::uint32_t ticket = queues_[q]->write({peer_.address + at, peer_.key}, source_ + at,
                                                     *source_region_, load_.bytes, is_last);
      if (is_last) tickets_[std::size_t{q} * load_.groups() + group] = ticket;
    }
}

void PutQueues::ring(std::uint32_t group) {
  for (std::uint32_t q = 0; q < load_.queues; ++q)
    queues_[q]->ring(tickets_[std::size_t{q} * load_.groups() + group]);
}

void PutQueues::await_completion() {
  std::uint32_t looks = 0;
  for (std::uint32_t q = 0; q < load_.queues; ++q) {
    const std::uint32_t last = tickets_[std::size_t{q} * load_.groups() + load_.groups() - 1];
    for (Spinner spinner(spins_for(4)); !queues_[q]->has_completed(last);) {
      queues_[q]->poll();
      if (queues_[q]->has_completed(last)) break;
      spinner.step();
      if (++looks % 256 == 0) engine_.stop_if_cancelled();
    }
  }
}

PutCounters PutQueues::counters() const noexcept {
  PutCounters sum;
  for (const auto& queue : queues_) {
    const PutCounters one = queue->counters();
    sum.entries += one.entries;
    sum.doorbells += one.doorbells;
    sum.completions += one.completions;
  }
  return sum;
}

void PutQueues::describe(ibgda::QueueCursor* lanes) const {
  for (const auto& queue : queues_) *lanes++ = queue->lane();
}

void PutQueues::adopt(const PutCounters& done) {
  for (const auto& queue : queues_)
    queue->adopt(
        {done.entries / load_.queues, done.doorbells / load_.queues, done.completions / load_.queues});
  for (std::uint64_t n = 0; n < done.entries; ++n) port_.count_sent(load_.bytes);
}

ibgda::KeyedAddress PutQueues::source_span() const noexcept {
  return {reinterpret_cast<std::uintptr_t>(source_), port_.local_key(*source_region_)};
}

using ibgda::u32;

void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, u32 end) {
  device.store_word(view.record + mlx5::kDoorbellSend / sizeof(u32), ibgda::doorbell_record(end));
  device.store_long_word(view.bell, ibgda::put_doorbell(view, end));
}

/// Waits by a bit of the completion entry (the owner bit), whose value alternates each time the completion
/// ring begins again.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, u32 taken) {
  const u32 place = taken & ((1U << view.log_entries) - 1);
  constexpr u32 kWord = mlx5::kEntryOwner & ~3U;
  constexpr u32 kOwnerBit = 1U << (8 * (mlx5::kEntryOwner - kWord));
  device.await_bit(view.entries + std::size_t{place} * mlx5::kEntryBytes + kWord, kOwnerBit,
                   (taken >> view.log_entries & 1U) != 0);
}

}  // namespace collbench::controlpath
