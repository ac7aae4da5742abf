#pragma once
// One DMA transfer, without queue or state machine. Each step moves the bytes that may be moved now. A large
// transfer is moved by the process's engines (threads that copy slices). Only step() decides how many bytes
// may move (link model, faults), so both ways behave alike.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/worker_pool.h"
#include "emulated/softntb/session.h"
#include "vendor_api/sisci/sisci_error.h"

struct sci_local_segment;
struct sci_remote_segment;

namespace collbench::softntb {

/// Maximum number of bytes that one call of DmaTransfer::step() copies, so that a polling caller can work in
/// between on other things.
constexpr std::size_t kStepBytes = std::size_t{256} << 10;
/// Maximum number of pieces in a vector transfer.
constexpr std::size_t kVectorLimit = 256;
/// Maximum number of bytes in one transfer, or in one piece of a vector transfer.
constexpr std::size_t kTransferLimit = std::size_t{1} << 31;

/// A contiguous part of a DMA transfer: offsets in the local and in the remote memory, and length, in bytes.
struct DmaPiece {
  std::size_t local_offset = 0;
  std::size_t remote_offset = 0;
  std::size_t bytes = 0;
};

/// Result of one step of a DMA transfer: more to move, all bytes moved, or transfer failed.
enum class DmaStep : std::uint8_t { kMore, kDone, kFailed };

/// An emulated DMA transfer between local memory and a remote segment. Use: set the fields, call begin(),
/// then step() until it does not return kMore, then end().
struct DmaTransfer {
  Session* session = nullptr;
  sci_local_segment* local_segment = nullptr;  // nullptr: ordinary user memory
  sci_remote_segment* remote_segment = nullptr;
  bool read = false;                 // true: from remote to local
  std::byte* local = nullptr;        // first byte on the local side
  std::byte* remote = nullptr;       // first byte on the remote side; nullptr if the CPU cannot access it
  std::uint64_t remote_address = 0;  // address on the remote side, in process `owner`
  int owner = 0;
  std::vector<DmaPiece> pieces;

  /// Prepares the transfer: sets its start time by the link model and decides which faults strike it. Counts
  /// the transfer as a user of both segments. The link is reserved later, slice by slice. All pieces must
  /// have been added.
  /// @param adapter number of the local adapter
  void begin(unsigned adapter);
  /// True if separate threads (emulated DMA engines) copy the data. They read this object until step()
  /// returns kDone or kFailed, or abandon() returns.
  [[nodiscard]] bool uses_engines() const noexcept { return engines_ != 0; }
  /// Hands the bytes that have arrived by now, by the emulated link's bandwidth, to the threads that copy.
  /// Only for transfers with uses_engines(). step() includes this call.
  void feed_engines();
  /// Moves the bytes that have arrived by now, by the emulated link's bandwidth: copies up to kStepBytes
  /// itself, or hands them to the threads that copy. Returns kMore until all bytes have been moved.
  DmaStep step();
  /// Stops the transfer because it is aborted. Nothing is copied after this returns.
  void abandon();
  /// Ends the use of the segments. Call once: after kDone, kFailed or abandon().
  void end();

 private:
  enum class StepReadiness : std::uint8_t { kBytes, kNothing, kFailed };
  std::size_t arrived();
  StepReadiness ready(std::size_t* bytes);
  bool move(std::size_t bytes);
  bool copy_piece(std::size_t piece, std::size_t at, std::size_t bytes);
  static void copy_slice(void* owner, const std::array<std::uint64_t, 3>& what) noexcept;
  bool copy(const DmaPiece& piece, std::size_t at, std::size_t bytes) const;
  bool flip_one_bit() const;
  bool swap_halves() const;
  std::size_t total_ = 0;
  std::size_t moved_ = 0;
  std::size_t piece_ = 0;
  std::size_t piece_moved_ = 0;
  // Slice of the transfer that has the link: on the local adapter's link, then on the remote one's.
  WireSlot slot_;
  std::size_t slice_end_ = 0;  // bytes of the transfer up to the slice's end; 0 = no slice yet
  bool is_far_ = false;        // true: the slice has the remote adapter's link too, or there is none
  LinkLedger *near_link_ = nullptr, *far_link_ = nullptr;  // local and remote link; nullptr: no link model
  bool silent_ = false;  // fault no-iommu: reports success and moves nothing
  bool flip_ = false;
  bool swap_ = false;
  unsigned engines_ = 0;                // threads that share the transfer; 0 = step() copies by itself
  std::size_t slice_bytes_ = 0;         // bytes that a thread copies at a time
  bool stopped_ = false;                // true: failed, but threads may still copy slices
  WorkerPool::PendingSlices open_{0};   // number of slices that threads have not finished
  std::atomic<bool> cancelled_{false};  // true: abandoned, or a copy failed; threads skip further slices
};

/// Checks whether the caller's memory can be registered as a SISCI segment (SCIRegisterSegmentMemory).
/// @returns SCI_ERR_OK; SCI_ERR_OFFSET_ALIGNMENT or SCI_ERR_SIZE_ALIGNMENT if it is not whole pages;
/// SCI_ERR_ILLEGAL_ADDRESS if a page is not mapped; SCI_ERR_NOT_SUPPORTED if this system forbids processes of
/// one user to copy into each other
sci_error_t check_user_memory(void* address, std::size_t size);

}  // namespace collbench::softntb
