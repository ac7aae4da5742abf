#pragma once
#include <array>
#include <memory>

#include "transports/sisci/fabric.h"
#include "transports/sisci/region.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Sending end. Messages are announced to the receiver in order; transfers of several messages overlap, one
/// per DMA queue. Small messages are complete when isend() returns, their bytes are in the receiver's memory
/// then.
class SisciSendComm final : public SendComm {
 public:
  SisciSendComm(std::shared_ptr<Fabric> fabric, std::unique_ptr<LocalSegment> desk,
                std::unique_ptr<RemoteSegment> inbox, unsigned int peer_node, Path path);
  ~SisciSendComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  bool test(Request* request) override;
  void carry_flags(bool on) override { carries_flags_ = on; }
  [[nodiscard]] Path path() const { return path_; }

 private:
  enum class Way { kUndecided, kInline, kPlaced, kStaged };
  struct Message final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Region* region = nullptr;
    Way way = Way::kUndecided;
    std::size_t started = 0;    // bytes handed to an engine
    std::size_t landed = 0;     // bytes known to be at the receiver
    std::size_t announced = 0;  // staged bytes the receiver has been told of
    Post post{};
    const RemoteSegment* target = nullptr;
    bool asked = false;  // the receiver has been told that this message waits
    bool in_use = false;
    bool done = false;
  };
  struct Immediate final : Request {};
  struct Engine {
    std::unique_ptr<DmaQueue> queue;
    Message* message = nullptr;
    std::size_t bytes = 0;
    std::uint64_t fragment = kNoSegment;  // staging fragment it fills, if any
  };

  [[nodiscard]] bool slot_free();
  [[nodiscard]] bool staging_free();
  void write_message(const std::byte* data, std::size_t bytes);
  void write_slot(SlotKind kind, const std::byte* payload, std::size_t payload_bytes, std::size_t bytes,
                  std::size_t total);
  void progress();
  void reap();
  void start();
  bool decide(Message& message, std::uint64_t number);
  bool start_placed(Message& message);
  bool start_staged(Message& message);
  Engine* idle_engine();
  bool announce_fragments(Message& message);
  void announce_head();
  void look_for_peer();
  void give_up() noexcept;

  std::shared_ptr<Fabric> fabric_;
  std::unique_ptr<LocalSegment> desk_segment_;
  std::unique_ptr<RemoteSegment> inbox_segment_;
  Desk* desk_;
  Inbox* inbox_;
  Path path_;
  RegionTable regions_;
  RemoteRegions remote_regions_;
  Tally& tally_;
  Watch watch_;
  Immediate immediate_;
  bool failed_ = false;

  FlaggedWriter cells_;
  bool carries_flags_ = false;
  std::uint64_t slots_written_ = 0;
  std::uint64_t slots_consumed_ = 0;  // last seen
  std::uint64_t staging_started_ = 0;
  std::uint64_t staging_announced_ = 0;
  std::uint64_t staging_consumed_ = 0;  // last seen
  std::array<bool, kStagingSlots> staging_landed_{};

  // Messages [announced_, next_) wait; those before `started_` are wholly with the engines. Numbers count all
  // messages, inline ones too, because the n-th message belongs to the n-th receive.
  std::uint64_t next_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t announced_ = 0;
  std::array<Message, kMaxRequests> messages_;
  std::array<Engine, 4> engines_;
};

}  // namespace collbench::sisci
