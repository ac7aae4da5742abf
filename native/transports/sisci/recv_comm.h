#pragma once
#include <array>
#include <memory>

#include "transports/sisci/fabric.h"
#include "transports/sisci/region.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Receiving end: reads its inbox, which is local memory, and never over the link.
class SisciRecvComm final : public RecvComm {
 public:
  SisciRecvComm(std::shared_ptr<Fabric> fabric, std::unique_ptr<LocalSegment> inbox,
                std::unique_ptr<RemoteSegment> desk, Path path);
  ~SisciRecvComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer> buffers) override;
  [[nodiscard]] Path path() const { return path_; }

 private:
  struct Receive final : Request {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t announced = 0;  // bytes that are here, if only in staging
    std::size_t received = 0;   // bytes in place
    std::size_t total = 0;      // of the message, once its first bytes are announced
    bool in_use = false;
    bool done = false;
  };

  /// One staging slot being copied out.
  struct Fragment {
    Receive* receive = nullptr;
    std::size_t bytes = 0;
    WorkerPool::PendingSlices open{0};
  };

  void post(std::uint64_t number, const ReceiveBuffer& buffer);
  bool progress();
  bool read_slot();
  bool read_cell();
  static void require_fits(const Receive& receive, std::size_t total);
  void consumed();
  void read_staged(const Slot& slot, Receive& receive);
  bool reap_fragments();
  void arrived(Receive& receive, std::size_t bytes);
  void look_for_peer();

  std::shared_ptr<Fabric> fabric_;
  std::unique_ptr<LocalSegment> inbox_segment_;
  std::unique_ptr<RemoteSegment> desk_segment_;
  Inbox* inbox_;
  Desk* desk_;
  Path path_;
  RegionTable regions_;
  Tally& tally_;
  Watch watch_;

  std::uint64_t slots_read_ = 0;
  std::uint64_t slots_credited_ = 0;
  bool expects_cell_ = false;  // as the last message came
  // Fragments [staging_freed_, staging_read_) are being copied; slots are given back in order.
  std::uint64_t staging_read_ = 0;
  std::uint64_t staging_freed_ = 0;
  std::array<Fragment, kStagingSlots> fragments_;
  std::uint64_t posted_ = 0;
  std::uint64_t announced_ = 0;  // receives whose message is here, if only in staging
  std::array<Receive, kMaxRequests> receives_;
};

}  // namespace collbench::sisci
