#pragma once
// Test of the DMA path. Return codes do not show whether DMA works: without an IOMMU, DMA of registered
// memory reports success and moves nothing. So both ends send each other a pattern by the same path as later
// data and check what arrives.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "transports/sisci/transport_state.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Spans enough pages to be scattered in physical memory, like the user's buffers.
inline constexpr std::size_t kProofBytes = 64 * 1024;
static_assert(kProofBytes <= kStagingBytes);

/// One end of the test. Repeat poll() until it returns the path that works.
class PathProof {
 public:
  /// Memory of one end. The second attempt writes into the receiver's staging memory, which both ends name.
  struct ProofEndpoint {
    bool sends = false;
    std::uint64_t nonce = 0;  // nonce of this connection, so that no stale memory looks like its pattern
    Control* own = nullptr;   // written by the peer
    const RemoteSegment* peer = nullptr;
    Control* peer_control = nullptr;  // the control block in `peer`, write only
    std::byte* staging = nullptr;     // the receiver's own staging memory
    std::size_t staging_offset = 0;   // offset of the staging memory in `peer`; used by the sender
  };

  explicit PathProof(const Adapter& adapter);
  /// Segment of the test memory; kNoSegment if the driver refuses to register memory.
  [[nodiscard]] std::uint64_t segment_id() const { return segment_ ? segment_->id() : kNoSegment; }
  void start(const ProofEndpoint& end, unsigned int peer_node, std::uint64_t peer_segment);
  /// Path that works; nullopt while the test runs. @throws Error(kUnavailable) if DMA from user memory fails
  /// too
  std::optional<DmaPath> poll();

 private:
  struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
  };
  enum class ProofStep { kSend, kJudge, kAwaitVerdict, kUserSend, kUserJudge, kUserAwaitVerdict };

  void send_registered();
  bool has_transfer_ended();
  /// Differences between `received` and the peer's pattern in words; "" if none.
  [[nodiscard]] std::string compare_pattern(const std::byte* received, bool sent_by_sender) const;
  void record_registered_verdict();

  Adapter adapter_;
  /// first kProofBytes: outgoing pattern; next kProofBytes: incoming
  std::unique_ptr<std::byte, FreeMemory> memory_;
  std::unique_ptr<LocalSegment> segment_;
  std::unique_ptr<DmaQueue> queue_;
  std::unique_ptr<RemoteSegment> remote_;
  ProofEndpoint end_;
  std::uint64_t peer_segment_ = kNoSegment;
  ProofStep step_ = ProofStep::kSend;
  std::string failure_text_;
  std::int64_t first_look_ns_ = 0;
};

}  // namespace collbench::sisci
