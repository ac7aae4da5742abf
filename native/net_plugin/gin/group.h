#pragma once
// All ranks of a communicator as GIN sees them ("collComm"): windows that all ranks register together; puts,
// gets and signals between any two. Thread-safe. Only connect, add and close wait.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "net_plugin/gin/link.h"
#include "net_plugin/gin/windows.h"
#include "transports/transport.h"

namespace collbench::net_plugin::gin {

/// Time in nanoseconds within which all ranks must have connected, or registered a window. After it the call
/// throws Error(kTimeout).
inline constexpr std::int64_t kGroupTimeoutNs = 120'000'000'000;

/// Parameters of a GIN put (local to remote memory) or get (remote to local). Both windows are those of this
/// rank; at the peer, the operation uses the window that the peer registered in the same collective call.
struct GinTransfer {
  const Window* source = nullptr;  // may be nullptr if bytes is 0; the same holds for target
  std::uint64_t source_offset = 0;
  std::size_t bytes = 0;
  const Window* target = nullptr;
  std::uint64_t target_offset = 0;
  std::uint32_t rank = 0;  // the peer
};
/// Parameters of a GIN put. Its signal is a 64-bit word in a window of the peer, to which a value is added
/// after the data is in place.
struct Put : GinTransfer {
  const Window* signal = nullptr;  // nullptr: no signal
  std::uint64_t signal_offset = 0;
  std::uint64_t signal_value = 0;
};

/// A communicator of NCCL's GPU-initiated networking (GIN): connections to all ranks, and windows.
class GinGroup {
 public:
  /// Connects to all ranks; every rank must make its group at the same time. Copies from and to GPU memory
  /// use the CUDA context that is current in the calling thread.
  /// @param listener listener of this rank
  /// @param handles handles of all ranks' listeners, by rank
  /// @throws Error(kTimeout) with the number of ranks that did not connect; Error(kProtocol); other errors of
  /// the transport
  GinGroup(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
           std::span<const ConnectHandle> handles, int rank);
  /// Sends operations that are still queued, and tells the peers that this rank leaves, for at most 2 s.
  /// After a failure it sends nothing.
  ~GinGroup();
  GinGroup(const GinGroup&) = delete;
  GinGroup& operator=(const GinGroup&) = delete;

  /// Registers memory as a window, and waits until all ranks have done so. All ranks register their windows
  /// in the same order. The result is valid until remove().
  /// @throws Error(kInvalidArgument) for memory that cannot be used; Error(kConnectionLost); Error(kTimeout)
  /// after kGroupTimeoutNs
  Window* add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// Queues a put; any number can be queued. test() returns true once the source memory may be reused.
  /// @throws Error(kInvalidArgument) if a range lies outside its window, a signal is not aligned to 8 bytes,
  /// or there is no such rank; Error(kConnectionLost)
  GinOperation* put(const Put& put);
  /// Queues a get. It reads the peer's memory after all earlier puts to that peer. test() returns true when
  /// the data is in local memory.
  /// @throws Error as put()
  GinOperation* get(const GinTransfer& get);
  /// NCCL's flush: returns an operation that is already done, because data of a finished get is visible.
  GinOperation* flush();
  /// True if the put, get or flush is done; then also frees the operation.
  /// @throws Error(kConnectionLost) if it is not done and an earlier call has failed
  bool test(GinOperation* operation);
  /// Works without waiting: sends queued puts and gets, receives those of peers and performs them on this
  /// rank's windows. NCCL's proxy thread calls it again and again.
  /// @throws Error(kConnectionLost) if a peer has left with puts or gets under way
  void progress();
  /// True if a call has failed, for example because a peer is gone. An invalid argument does not count. All
  /// later operations then fail too.
  [[nodiscard]] bool has_failed();

 private:
  struct UnidentifiedPeer;
  void connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles);
  void step();
  void exchange(PeerLink& link);
  void apply(PeerLink& link, const Frame& frame, const std::byte* payload);
  void write(const Frame& frame, const std::byte* payload);
  static void answer(PeerLink& link, const Frame& question);
  /// Returns the connection to a peer; nullptr for this rank itself.
  /// @throws Error(kInvalidArgument) for an invalid rank; Error(kConnectionLost) if the peer has left
  PeerLink* link_to(std::uint32_t rank);
  [[nodiscard]] static std::uint64_t size_at(const PeerLink* link, const Window& window);
  [[nodiscard]] bool is_registered(const Window& window) const;
  void put_to_self(const Put& put);
  GinOperation* take();
  void require_alive() const;
  template <typename Body>
  auto guarded(Body body);

  std::shared_ptr<Transport> transport_;  // lives on after finalize
  const std::size_t rank_;
  std::mutex mutex_;
  Windows windows_;
  std::unique_ptr<Staging> scratch_;              // page-locked word for adding signals
  std::vector<std::unique_ptr<PeerLink>> links_;  // indexed by rank; null for this rank
  std::deque<GinOperation> operations_;
  std::vector<GinOperation*> free_;
  std::string failure_;
};

}  // namespace collbench::net_plugin::gin
