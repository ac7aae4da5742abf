#pragma once
// One end of a connection: its queue, the memory that the peer writes, and the address of the peer's memory.
#include <memory>
#include <new>

#include "transports/counters.h"
#include "transports/ibgda/initiator.h"
#include "transports/ibgda/wire.h"

namespace collbench::ibgda {

/// Zeroed pages of this process, registered with the adapter so that the peer can write them.
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

/// Reads a word that the peer may be writing, with acquire order.
std::uint64_t read_flag(const std::uint64_t& word) noexcept;

class IbgdaConnection {
 public:
  /// @param bytes size of SenderMemory or ReceiverMemory, whichever this end has
  IbgdaConnection(std::shared_ptr<const IbgdaDevice> device, std::size_t bytes);

  [[nodiscard]] EndpointAddress end() const;
  /// @throws Error(kProtocol) if the peer uses another version
  void connect(const EndpointAddress& peer);
  [[nodiscard]] bool is_connected() const noexcept { return peer_.memory != 0; }

  template <typename Memory>
  [[nodiscard]] Memory& memory() const noexcept {
    return *std::launder(reinterpret_cast<Memory*>(pages_.data()));
  }
  /// Address of a field in the peer's memory. @param offset of the field, in bytes
  [[nodiscard]] std::uint64_t peer_address(std::size_t offset) const noexcept {
    return peer_.memory + offset;
  }
  [[nodiscard]] std::uint32_t peer_key() const noexcept { return peer_.key; }

  /// Writes a word into the peer's memory, ordered after all earlier writes. The caller ensures room for one
  /// block.
  std::uint32_t put_word(std::size_t offset, std::uint64_t word, bool completes);
  [[nodiscard]] Initiator& initiator() noexcept { return initiator_; }
  [[nodiscard]] const IbgdaDevice& device() const noexcept { return *device_; }

  /// Call while waiting: checks ten times a second that the peer's adapter still answers.
  /// @throws Error(kConnectionLost) if it does not
  void check_peer();
  /// Sets the peer's `closed` word at `offset` and waits up to a second for the completion.
  void close(std::size_t offset) noexcept;

 private:
  std::shared_ptr<const IbgdaDevice> device_;
  SharedPages pages_;
  Initiator initiator_;
  EndpointAddress peer_{};
  std::int64_t next_check_ns_ = 0;
  std::uint32_t probe_end_ = 0;
};

}  // namespace collbench::ibgda
