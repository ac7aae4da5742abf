#pragma once
// Minimal client of the card for tests: one completion queue, one queue pair, its own memory.
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "emulated/softmlx5/nic/card.h"
#include "emulated/softmlx5/nic/endian.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::test {

using namespace mlx5;

inline constexpr unsigned kAll = kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic;

/// Address of this client for its peers.
struct Address {
  std::uint16_t lid = 0;
  std::uint32_t queue = 0, key = 0;
  std::uint64_t memory = 0;
};

struct CompletionEntry {
  std::uint8_t opcode = 0, syndrome = 0;
  std::uint16_t counter = 0;
  std::uint32_t bytes = 0, immediate = 0;
};

class Client {
 public:
  static constexpr unsigned kLogBlocks = 6, kLogEntries = 8;

  /// @param on_gpu for ring and completion entries, in this order; the caller copies them from and to `ring`
  /// and `entries`
  explicit Client(std::size_t memory_bytes = 1 << 20, QueueKind kind = QueueKind::kReliable,
                  unsigned access = kAll, std::byte* on_gpu = nullptr)
      : memory(memory_bytes) {
    card = Card::open(nullptr);
    domain = card->create_domain();
    key = card->register_memory(
        {memory.data(), memory.size(), address_of(memory.data()), access, domain, false});
    entries.fill(std::byte{0xFF});
    const bool is_on_gpu = on_gpu != nullptr;
    completions = card->create_completion_queue({is_on_gpu ? on_gpu + ring.size() : entries.data(),
                                                 kLogEntries, consumed.data(), false, false, is_on_gpu});
    QueuePairSetup setup;
    setup.kind = kind;
    setup.domain = domain;
    if (kind != QueueKind::kDcTarget) {
      setup.send_ring = is_on_gpu ? on_gpu : ring.data();
      setup.ring_on_gpu = is_on_gpu;
      setup.log_blocks = kLogBlocks;
      setup.doorbell = record.data();
      setup.uar = uar.data();
    }
    setup.send_completions = setup.receive_completions = completions;
    setup.access_key = 0x5623CEAF;
    queue = card->create_queue_pair(setup);
  }
  ~Client() {
    card->destroy_queue_pair(queue);
    card->destroy_completion_queue(completions);
    card->deregister_memory(key);
    card->destroy_domain(domain);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  static std::uint64_t address_of(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }
  [[nodiscard]] Address address() const { return {card->lid(), queue, key, address_of(memory.data())}; }

  bool connect(const Address& peer, unsigned receiver_retries = 7) {
    QueuePairChange change;
    change.state = QueueState::kInit;
    change.access = kAll;
    if (!card->modify_queue_pair(queue, change)) return false;
    change = {};
    change.state = QueueState::kReadyToReceive;
    change.remote_lid = peer.lid;
    change.remote_queue = peer.queue;
    if (!card->modify_queue_pair(queue, change)) return false;
    change = {};
    change.state = QueueState::kReadyToSend;
    change.receiver_retries = receiver_retries;
    return card->modify_queue_pair(queue, change);
  }

  // Add segments to the next entry.
  Client& control(std::uint8_t opcode, std::uint32_t immediate = 0, std::uint8_t opmod = 0,
                  bool completes = true) {
    segments.clear();
    put32(std::uint32_t{opmod} << 24 | (next & 0xFFFF) << 8 | opcode);
    put32(queue << 8);
    put32(completes ? kCompletionAlways : 0);
    put32(immediate);
    return *this;
  }
  Client& vector_to(const Address& target) {
    put64(0x5623CEAF);
    put32(target.queue);
    put32(target.lid);
    return *this;
  }
  Client& remote(const Address& peer, std::uint64_t offset) { return raw(peer.memory + offset, peer.key, 0); }
  Client& raw(std::uint64_t address, std::uint32_t third, std::uint32_t fourth) {
    put64(address);
    put32(third);
    put32(fourth);
    return *this;
  }
  Client& data(std::uint64_t offset, std::uint32_t bytes) { return data_with(offset, bytes, key); }
  Client& data_with(std::uint64_t offset, std::uint32_t bytes, std::uint32_t any_key) {
    put32(bytes);
    put32(any_key);
    put64(address_of(memory.data()) + offset);
    return *this;
  }
  Client& inlined(const std::vector<std::byte>& bytes) {
    put32(kInline | static_cast<std::uint32_t>(bytes.size()));
    segments.insert(segments.end(), bytes.begin(), bytes.end());
    segments.resize((segments.size() + 15) / 16 * 16);
    return *this;
  }
  Client& operands(std::uint64_t first, std::uint64_t second) {
    put64(first);
    put64(second);
    return *this;
  }
  /// Puts the entry into the ring. @returns its index
  std::uint16_t post() {
    const auto count = static_cast<std::uint32_t>(segments.size() / 16);
    const std::uint32_t word = big32(queue << 8 | count);
    std::memcpy(segments.data() + 4, &word, sizeof word);
    const auto index = static_cast<std::uint16_t>(next);
    for (std::size_t at = 0; at < segments.size(); at += 16) {
      const std::size_t place = (next * kBlockBytes + at) % ring.size();
      std::memcpy(ring.data() + place, segments.data() + at, 16);
    }
    next += (count + 3) / 4;
    return index;
  }
  void ring_doorbell() {
    shared_word<std::uint32_t>(record.data() + kDoorbellSend)
        .store(big32(next & 0xFFFF), std::memory_order_release);
    shared_word<std::uint64_t>(uar.data() + kDoorbellRegister)
        .store(std::uint64_t{big32(next << 8)} | std::uint64_t{big32(queue << 8)} << 32,
               std::memory_order_release);
  }

  /// The next completion; nullopt after `patience_ms`.
  std::optional<CompletionEntry> poll(int patience_ms = 20'000) {
    const std::int64_t deadline = now_ns() + patience_ms * std::int64_t{1'000'000};
    std::byte* at = entries.data() + (taken & ((1U << kLogEntries) - 1)) * kEntryBytes;
    for (Spinner spinner(100);; spinner.step()) {
      if (drives) card->progress();
      const std::uint64_t last = big64(shared_word<std::uint64_t>(at + 56).load(std::memory_order_acquire));
      const auto owner = static_cast<std::uint8_t>(last & 0xFF);
      if (owner >> 4 != kEntryInvalid && (owner & 1) == (taken >> kLogEntries & 1)) break;
      if (now_ns() > deadline) return std::nullopt;
    }
    CompletionEntry entry;
    entry.opcode = static_cast<std::uint8_t>(at[kEntryOwner]) >> 4;
    entry.syndrome = static_cast<std::uint8_t>(at[kEntrySyndrome]);
    entry.counter = load16(at + kEntryCounter);
    entry.bytes = load32(at + kEntryByteCount);
    entry.immediate = load32(at + kEntryImmediate);
    ++taken;
    shared_word<std::uint32_t>(consumed.data()).store(big32(taken & 0xFFFFFF), std::memory_order_release);
    return entry;
  }

  Card* card = nullptr;
  std::vector<std::byte> memory;
  std::uint32_t domain = 0, key = 0, completions = 0, queue = 0;
  std::uint32_t next = 0, taken = 0;
  bool drives = false;  // true: carries out its own work instead of leaving it to the engine
  alignas(64) std::array<std::byte, (std::size_t{64} << kLogEntries)> entries;
  alignas(64) std::array<std::byte, (std::size_t{64} << kLogBlocks)> ring{};
  alignas(4096) std::array<std::byte, kUarBytes> uar{};
  alignas(64) std::array<std::byte, 8> record{}, consumed{};
  std::vector<std::byte> segments;

 private:
  void put32(std::uint32_t value) { put(big32(value)); }
  void put64(std::uint64_t value) { put(big64(value)); }
  template <typename Word>
  void put(Word word) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&word);
    segments.insert(segments.end(), bytes, bytes + sizeof word);
  }
};

}  // namespace collbench::softmlx5::test
