#pragma once
// Return codes do not tell whether DMA works: without an IOMMU, DMA of registered memory reports success and
// moves nothing. So both ends send each other a pattern the way they will send data and look at what came.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "transports/sisci/fabric.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Pages enough to be scattered in physical memory, as the user's buffers will be.
inline constexpr std::size_t kProofBytes = 64 * 1024;
static_assert(kProofBytes <= kStagingBytes);

/// One end of the proof. poll() until it yields the path that works.
class PathProof {
 public:
  /// The sender gives the receiver's inbox staging (for the second attempt), the receiver its own.
  struct End {
    bool sends = false;
    std::uint64_t nonce = 0;  // of this connection: no stale memory can look like its pattern
    Control* own = nullptr;   // written by the peer
    const RemoteSegment* peer = nullptr;
    Control* peer_control = nullptr;  // in `peer`, write only
    std::byte* staging = nullptr;     // the receiver's own staging memory
    std::size_t staging_offset = 0;   // of the staging memory in `peer`, for the sender
  };

  explicit PathProof(const Adapter& adapter);
  /// kNoSegment when the driver refuses to register memory.
  [[nodiscard]] std::uint64_t segment_id() const { return segment_ ? segment_->id() : kNoSegment; }
  void start(const End& end, unsigned int peer_node, std::uint64_t peer_segment);
  /// Call until it has a value. @throws Error(kUnavailable) when user-memory DMA fails as well
  std::optional<Path> poll();

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  enum class Step { kSend, kJudge, kAwaitVerdict, kUserSend, kUserJudge, kUserAwaitVerdict };

  void send_registered();
  bool transfer_over();
  /// What `bytes` look like against the peer's pattern; "" when all is right.
  [[nodiscard]] std::string judge(const std::byte* received, bool sent_by_sender) const;
  void conclude_registered();

  Adapter adapter_;
  std::unique_ptr<std::byte, Free> memory_;  // [0, kProofBytes) goes out, the next kProofBytes come in
  std::unique_ptr<LocalSegment> segment_;
  std::unique_ptr<DmaQueue> queue_;
  std::unique_ptr<RemoteSegment> remote_;
  End end_;
  std::uint64_t peer_segment_ = kNoSegment;
  Step step_ = Step::kSend;
  std::string trouble_;
  std::int64_t arrived_ns_ = 0;
};

}  // namespace collbench::sisci
