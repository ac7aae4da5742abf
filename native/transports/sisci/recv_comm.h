#pragma once
#include <array>
#include <memory>

#include "transports/sisci/region.h"
#include "transports/sisci/transport_state.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Receiving end of a connection. The sender writes all data into the receiver's segment or posted buffers,
/// so the receiver reads no data over the link.
class SisciRecvComm final : public RecvComm {
 public:
  SisciRecvComm(std::shared_ptr<TransportState> state, std::unique_ptr<LocalSegment> receiver_segment,
                std::unique_ptr<RemoteSegment> sender_segment, DmaPath path);
  ~SisciRecvComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer> buffers) override;
  [[nodiscard]] DmaPath path() const { return path_; }

 private:
  struct SisciReceive final : Request {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t announced = 0;  // bytes that have arrived, in place or in staging
    std::size_t received = 0;   // bytes in the receive buffer
    std::size_t total = 0;      // length of the message, known when its first bytes are announced
    bool in_use = false;
    bool done = false;
  };

  /// A part of a large message that has arrived in a staging slot of the receiver's segment. Copy threads, or
  /// the receiving thread if the part is short, copy it to the receive buffer; `open` counts the slices that
  /// copy threads have not copied yet.
  struct Fragment {
    SisciReceive* receive = nullptr;
    std::size_t bytes = 0;
    WorkerPool::PendingSlices open{0};
  };

  void post(std::uint64_t number, const ReceiveBuffer& buffer);
  bool progress();
  bool read_slot();
  bool read_cell();
  static void require_fits(const SisciReceive& receive, std::size_t total);
  void release_slot();
  void read_staged(const SisciSlot& slot, SisciReceive& receive);
  bool release_copied_fragments();
  void add_received(SisciReceive& receive, std::size_t bytes);
  void check_peer();

  std::shared_ptr<TransportState> state_;
  std::unique_ptr<LocalSegment> receiver_segment_;
  std::unique_ptr<RemoteSegment> sender_segment_;
  ReceiverMemory* receiver_memory_;
  SenderMemory* sender_memory_;
  DmaPath path_;
  RegionTable regions_;
  CommCounters& counters_;
  PeerCheckTimer check_timer_;

  std::uint64_t slots_read_ = 0;
  std::uint64_t slots_credited_ = 0;
  bool expects_cell_ = false;  // form of the last message; the next one is looked for there first
  // Fragments [staging_freed_, staging_read_) are being copied; slots are returned in order.
  std::uint64_t staging_read_ = 0;
  std::uint64_t staging_freed_ = 0;
  std::array<Fragment, kStagingSlots> fragments_;
  std::uint64_t posted_ = 0;
  std::uint64_t announced_ = 0;  // receives whose message has arrived, in place or in staging
  std::array<SisciReceive, kMaxRequests> receives_;
};

}  // namespace collbench::sisci
