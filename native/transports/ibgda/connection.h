#pragma once
// One end of a connection: its queue, the memory that the peer writes, and the address of the peer's memory.
#include <memory>
#include <new>

#include "transports/counters.h"
#include "transports/ibgda/initiator.h"
#include "transports/ibgda/wire.h"

namespace collbench::ibgda {

/// Memory of this process, zeroed and in whole pages, that is registered with the adapter: the peer may write
/// into it, and this process may send from it.
class SharedPages {
 public:
  SharedPages(const IbgdaDevice& device, std::size_t bytes);
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

/// Reads a word of this process's memory that the peer may be writing over the network, with acquire order:
/// data that the peer wrote before the word is visible after this read.
std::uint64_t read_flag(const std::uint64_t& word) noexcept;

/// One end of a connection: a queue to the peer, and memory of this process into which the peer writes. Used
/// by one thread at a time.
class IbgdaConnection {
 public:
  /// Creates queue and memory of this end; connect() completes the connection.
  /// @param bytes size of the memory that the peer writes: sizeof(SenderMemory) at the sending end,
  /// sizeof(ReceiverMemory) at the receiving end
  IbgdaConnection(std::shared_ptr<const IbgdaDevice> device, std::size_t bytes);

  /// Returns the address of this end, which the peer needs for its connect().
  [[nodiscard]] EndpointAddress end() const;
  /// Connects the queue to the peer.
  /// @param peer result of the peer's end()
  /// @throws Error(kProtocol) if the peer uses another version of the layout; Error as Queue::connect()
  void connect(const EndpointAddress& peer);
  [[nodiscard]] bool is_connected() const noexcept { return peer_.memory != 0; }

  template <typename Memory>
  [[nodiscard]] Memory& memory() const noexcept {
    return *std::launder(reinterpret_cast<Memory*>(pages_.data()));
  }
  /// Returns the address of a field in the memory of the peer's end.
  /// @param offset offset of the field in SenderMemory or ReceiverMemory, in bytes
  [[nodiscard]] std::uint64_t peer_address(std::size_t offset) const noexcept {
    return peer_.memory + offset;
  }
  [[nodiscard]] std::uint32_t peer_key() const noexcept { return peer_.key; }

  /// Writes an 8-byte word into the peer's memory, after the data of all earlier writes. The caller has
  /// checked with has_room() that one block of the send ring is free.
  /// @param offset position in the peer's SenderMemory or ReceiverMemory
  /// @param completes whether the adapter reports the completion
  /// @returns number of the block after the entry, for QueueInitiator::has_completed()
  std::uint32_t put_word(std::size_t offset, std::uint64_t word, bool completes);
  [[nodiscard]] QueueInitiator& initiator() noexcept { return initiator_; }
  [[nodiscard]] const IbgdaDevice& device() const noexcept { return *device_; }

  /// Checks that the peer's adapter still answers. The caller repeats this while it waits for the peer. Up to
  /// ten times a second it writes a word into the peer's memory. If no acknowledgement comes, a later poll of
  /// the queue reports an error.
  /// @throws Error(kConnectionLost) as QueueInitiator::poll()
  void check_peer();
  /// Tells the peer that this end closes: writes 1 into the word `closed` of the peer's memory, and waits at
  /// most one second until the write has completed. Errors are ignored. Does nothing before connect().
  /// @param offset position of `closed` in the peer's memory
  void close(std::size_t offset) noexcept;

 private:
  std::shared_ptr<const IbgdaDevice> device_;
  SharedPages pages_;
  QueueInitiator initiator_;
  EndpointAddress peer_{};
  std::int64_t next_check_ns_ = 0;
  std::uint32_t probe_end_ = 0;
};

}  // namespace collbench::ibgda
