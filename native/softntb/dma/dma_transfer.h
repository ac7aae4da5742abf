#pragma once
// One DMA transfer in the making, without queue or state machine: given time, it moves what may be moved,
// itself or, when it is large, through the process's engines (threads that copy slices). What may be moved
// (link model, faults) is decided in step() alone, so both ways behave alike.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/worker_pool.h"
#include "softntb/session.h"

struct sci_local_segment;
struct sci_remote_segment;

namespace collbench::softntb {

/// Most bytes one step copies, so that a caller that polls can do other things in between.
constexpr std::size_t kStepBytes = std::size_t{256} << 10;
/// Most entries of a vector transfer.
constexpr std::size_t kVectorLimit = 256;
/// Most bytes of one transfer (of one entry, in a vector).
constexpr std::size_t kTransferLimit = std::size_t{1} << 31;

struct DmaPiece {
  std::size_t local_offset = 0;
  std::size_t remote_offset = 0;
  std::size_t bytes = 0;
};

enum class DmaStep : std::uint8_t { kMore, kDone, kFailed };

struct DmaTransfer {
  Session* session = nullptr;
  sci_local_segment* local_segment = nullptr;  // nullptr: plain user memory
  sci_remote_segment* remote_segment = nullptr;
  bool read = false;                 // remote to local
  std::byte* local = nullptr;        // first byte of the local side
  std::byte* remote = nullptr;       // likewise where it can be reached by the CPU, else nullptr:
  std::uint64_t remote_address = 0;  // address in process `owner`
  int owner = 0;
  std::vector<DmaPiece> pieces;

  /// Reserves the wire and counts the transfer at its segments. `total` of all pieces must be known by now.
  void begin(AdapterLink& link);
  /// Whether engines move it; they read this object until step() says kDone or kFailed, or abandon() returns.
  [[nodiscard]] bool uses_engines() const noexcept { return engines_ != 0; }
  /// Hands the engines all that the link model has let arrive. Only with engines; step() does it as well.
  void feed_engines();
  /// Copies up to kStepBytes of what the link model has let arrive, or has the engines do so.
  DmaStep step();
  /// Before an abort: nothing is copied any more when it returns.
  void abandon();
  /// Gives the segments back; once, after kDone, kFailed or an abort.
  void end();

 private:
  enum class Ready : std::uint8_t { kBytes, kNothing, kFailed };
  Ready ready(std::size_t* bytes) const;
  bool move(std::size_t bytes);
  bool carry(std::size_t piece, std::size_t at, std::size_t bytes);
  static void copy_slice(void* owner, const std::array<std::uint64_t, 3>& what) noexcept;
  bool copy(const DmaPiece& piece, std::size_t at, std::size_t bytes) const;
  bool flip_one_bit() const;
  std::size_t total_ = 0;
  std::size_t moved_ = 0;
  std::size_t piece_ = 0;
  std::size_t piece_moved_ = 0;
  WireSlot slot_;
  bool silent_ = false;  // no-iommu fault: reports success, moves nothing
  bool flip_ = false;
  unsigned engines_ = 0;               // that share the transfer; 0 = step() copies
  std::size_t slice_bytes_ = 0;        // for one engine at a time
  bool stopped_ = false;               // failed: what is with the engines still ends
  WorkerPool::PendingSlices open_{0};  // slices with the engines
  std::atomic<bool> off_{false};       // abandoned, or a copy failed: engines skip what is left
};

}  // namespace collbench::softntb
