#pragma once
#include <array>
#include <memory>

#include "transports/sisci/region.h"
#include "transports/sisci/transport_state.h"
#include "transports/sisci/wire.h"

namespace collbench::sisci {

/// Sending end of a connection. Messages are announced to the receiver in order, but DMA transfers of several
/// messages may overlap, one per DMA queue. isend() itself writes a small message to the receiver's memory,
/// if a slot is free and no earlier message waits. The caller may then reuse its buffer at once.
class SisciSendComm final : public SendComm {
 public:
  SisciSendComm(std::shared_ptr<TransportState> state, std::unique_ptr<LocalSegment> sender_segment,
                std::unique_ptr<RemoteSegment> receiver_segment, unsigned int peer_node, DmaPath path);
  ~SisciSendComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  bool test(Request* request) override;
  void carry_flags(bool on) override { carries_flags_ = on; }
  [[nodiscard]] DmaPath path() const { return path_; }

 private:
  enum class SendMethod { kUndecided, kInline, kPlaced, kStaged };
  struct SisciMessage final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    const SisciRegion* region = nullptr;
    SendMethod method = SendMethod::kUndecided;
    std::size_t started = 0;    // bytes handed to an engine
    std::size_t landed = 0;     // bytes known to have arrived at the receiver
    std::size_t announced = 0;  // staged bytes announced to the receiver
    PostedReceive post{};
    const RemoteSegment* target = nullptr;
    bool asked = false;  // true once the receiver was told that this message waits for its receive
    bool in_use = false;
    bool done = false;
  };
  struct Immediate final : Request {};
  struct DmaEngine {
    std::unique_ptr<DmaQueue> queue;
    SisciMessage* message = nullptr;
    std::size_t bytes = 0;
    std::uint64_t fragment = kNoSegment;  // number of the staging fragment that it fills; kNoSegment = none
  };

  [[nodiscard]] bool slot_free();
  [[nodiscard]] bool staging_free();
  void write_message(const std::byte* data, std::size_t bytes);
  void write_slot(SlotKind kind, const std::byte* payload, std::size_t payload_bytes, std::size_t bytes,
                  std::size_t total);
  void progress();
  void collect_finished_engines();
  void start();
  bool choose_method(SisciMessage& message, std::uint64_t number);
  bool start_placed(SisciMessage& message);
  bool start_staged(SisciMessage& message);
  DmaEngine* idle_engine();
  bool announce_fragments(SisciMessage& message);
  void announce_landed();
  void check_peer();
  void abort_all() noexcept;

  std::shared_ptr<TransportState> state_;
  std::unique_ptr<LocalSegment> sender_segment_;
  std::unique_ptr<RemoteSegment> receiver_segment_;
  SenderMemory* sender_memory_;
  ReceiverMemory* receiver_memory_;
  DmaPath path_;
  RegionTable regions_;
  RemoteRegions remote_regions_;
  CommCounters& counters_;
  PeerCheckTimer check_timer_;
  Immediate immediate_;
  bool failed_ = false;

  FlaggedWriter cells_;
  bool carries_flags_ = false;
  std::uint64_t slots_written_ = 0;
  std::uint64_t slots_consumed_ = 0;  // last value read
  std::uint64_t staging_started_ = 0;
  std::uint64_t staging_announced_ = 0;
  std::uint64_t staging_consumed_ = 0;  // last value read
  std::array<bool, kStagingSlots> staging_landed_{};

  // Messages [announced_, next_) wait; all bytes of those before `started_` are with the engines. Numbers
  // count all messages, inline ones too, because the n-th message belongs to the n-th receive.
  std::uint64_t next_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t announced_ = 0;
  std::array<SisciMessage, kMaxRequests> messages_;
  std::array<DmaEngine, 4> engines_;
};

}  // namespace collbench::sisci
