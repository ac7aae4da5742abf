#pragma once
// One end of a connection: its queue, its memory that the other end writes, and where the other end's is.
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "transports/ibgda/initiator.h"
#include "transports/ibgda/wire.h"

namespace collbench::ibgda {

/// Bytes and messages of one comm; written by its thread, read by whoever asks the transport.
struct Tally {
  std::atomic<std::uint64_t> bytes{0}, messages{0};
  bool is_sender = false;
  void add(std::uint64_t n) noexcept {
    bytes.store(bytes.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// Counters of every comm ever made, also of those that outlive the transport.
struct Ledger {
  std::mutex mutex;
  std::vector<std::shared_ptr<Tally>> tallies;
  std::shared_ptr<Tally> open(bool is_sender);
};

/// Pages of this process that both ends know. Zeroed.
class SharedPages {
 public:
  SharedPages(const Device& device, std::size_t bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] const Registration& registration() const noexcept { return *registration_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  std::unique_ptr<Registration> registration_;
};

/// Reads a word that the other end writes.
std::uint64_t read_flag(const std::uint64_t& word) noexcept;

class Link {
 public:
  /// @param bytes of the desk or inbox
  Link(std::shared_ptr<const Device> device, std::size_t bytes);

  [[nodiscard]] End end() const;
  /// @throws Error(kProtocol) where it is none of this version
  void connect(const End& peer);
  [[nodiscard]] bool is_connected() const noexcept { return peer_.memory != 0; }

  template <typename Memory>
  [[nodiscard]] Memory& memory() const noexcept {
    return *std::launder(reinterpret_cast<Memory*>(pages_.data()));
  }
  /// Where a field of the other end's memory is.
  [[nodiscard]] std::uint64_t there(std::size_t offset) const noexcept { return peer_.memory + offset; }
  [[nodiscard]] std::uint32_t their_key() const noexcept { return peer_.key; }

  /// Writes a word there, behind all that was written before. There is room for one block.
  std::uint32_t put_word(std::size_t offset, std::uint64_t word, bool completes);
  [[nodiscard]] Initiator& initiator() noexcept { return initiator_; }
  [[nodiscard]] const Device& device() const noexcept { return *device_; }

  /// For a wait that goes on: asks the adapter ten times a second whether the other end still answers.
  /// @throws Error(kConnectionLost) where it does not
  void look_for_peer();
  /// Says goodbye: `offset` of the other end's `closed`. Waits for its completion, at most a second.
  void close(std::size_t offset) noexcept;

 private:
  std::shared_ptr<const Device> device_;
  SharedPages pages_;
  Initiator initiator_;
  End peer_{};
  std::int64_t next_look_ns_ = 0;
  std::uint32_t probe_end_ = 0;
};

}  // namespace collbench::ibgda
