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

/// Time within which all ranks must connect or register together; a rank that does not has failed.
inline constexpr std::int64_t kGroupTimeoutNs = 120'000'000'000;

/// One put or get. Both windows are ours; the peer uses its own window of the same registration.
struct GinTransfer {
  const Window* source = nullptr;  // may be nullptr if bytes is 0; the same holds for target
  std::uint64_t source_offset = 0;
  std::size_t bytes = 0;
  const Window* target = nullptr;
  std::uint64_t target_offset = 0;
  std::uint32_t rank = 0;  // the peer
};
struct Put : GinTransfer {
  const Window* signal = nullptr;  // nullptr: no signal
  std::uint64_t signal_offset = 0;
  std::uint64_t signal_value = 0;
};

class GinGroup {
 public:
  /// Connects to all ranks; all must call it together. Copies use the CUDA context that is current here.
  /// @throws Error(kTimeout) naming the ranks that did not connect; Error as the transport does
  GinGroup(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
           std::span<const ConnectHandle> handles, int rank);
  /// Sends queued operations for a short time and tells the peers that this rank leaves.
  ~GinGroup();
  GinGroup(const GinGroup&) = delete;
  GinGroup& operator=(const GinGroup&) = delete;

  /// Registers a window; all ranks call it together, in the same order. @throws Error(kInvalidArgument,
  /// kConnectionLost)
  Window* add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// Queues a put; the queue is unlimited. The operation is done when the source may be reused; test() then
  /// frees it.
  /// @throws Error(kInvalidArgument) outside a window; Error(kConnectionLost)
  GinOperation* put(const Put& put);
  /// Queues a get, ordered after all earlier puts to that rank. It is done when the data is in place.
  /// Otherwise like put().
  GinOperation* get(const GinTransfer& get);
  /// Returns a finished operation: data of a finished get needs no flush.
  GinOperation* flush();
  bool test(GinOperation* operation);
  /// Sends queued frames, receives frames and applies them.
  void progress();
  /// True if a peer or the link has failed; no later operation works.
  [[nodiscard]] bool has_failed();

 private:
  struct UnidentifiedPeer;
  void connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles);
  void step();
  void exchange(PeerLink& link);
  void apply(PeerLink& link, const Frame& frame, const std::byte* payload);
  void write(const Frame& frame, const std::byte* payload);
  static void answer(PeerLink& link, const Frame& question);
  /// Link to a peer; nullptr for this rank itself. @throws Error(kInvalidArgument, kConnectionLost)
  PeerLink* link_to(std::uint32_t rank);
  [[nodiscard]] static std::uint64_t size_at(const PeerLink* link, const Window& window);
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
