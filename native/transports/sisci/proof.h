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

/// Size of the test pattern in bytes. It covers enough pages that they are scattered in physical memory, like
/// the user's buffers.
inline constexpr std::size_t kProofBytes = 64 * 1024;
static_assert(kProofBytes <= kStagingBytes);

/// One end of the test of a connection's DMA. Call start() once, then repeat poll() until it returns the kind
/// of DMA that works. The registered-memory path is tried first, the user-memory path second.
class PathProof {
 public:
  /// Memory that the test uses at one end of the connection. If DMA between registered memory fails, the
  /// second attempt writes into `staging`, memory of the receiver that its driver allocated.
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
  /// Returns the id of the segment into which the peer sends its pattern; kNoSegment if the driver refuses to
  /// register memory.
  [[nodiscard]] std::uint64_t segment_id() const { return segment_ ? segment_->id() : kNoSegment; }
  /// Starts the test.
  /// @param peer_node node id of the peer
  /// @param peer_segment segment_id() of the peer's test; kNoSegment if it has none
  void start(const ProofEndpoint& end, unsigned int peer_node, std::uint64_t peer_segment);
  /// Advances the test without waiting. Returns the kind of DMA that works; nullopt while the test runs.
  /// @throws Error(kUnavailable) if the second attempt, DMA from user memory, fails too
  std::optional<DmaPath> poll();

 private:
  struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
  };
  enum class ProofStep { kSend, kJudge, kAwaitVerdict, kUserSend, kUserJudge, kUserAwaitVerdict };

  void send_registered();
  /// Describes how `received` differs from the expected pattern; "" if it is equal.
  /// @param sent_by_sender true if the sending end of the connection sent the pattern, false if the receiving
  /// end did
  [[nodiscard]] std::string compare_pattern(const std::byte* received, bool sent_by_sender) const;
  void record_registered_verdict();

  Adapter adapter_;
  /// Test memory: the first kProofBytes hold the pattern to send, the next kProofBytes receive the peer's
  /// pattern.
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
