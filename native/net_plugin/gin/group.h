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
inline constexpr std::int64_t kTogetherNs = 120'000'000'000;

/// One put or get. Both windows are ours; the peer uses its own window of the same registration.
struct Move {
  const Window* source = nullptr;  // may be nullptr if bytes is 0; the same holds for target
  std::uint64_t source_offset = 0;
  std::size_t bytes = 0;
  const Window* target = nullptr;
  std::uint64_t target_offset = 0;
  std::uint32_t rank = 0;  // the peer
};
struct Put : Move {
  const Window* signal = nullptr;  // nullptr: no signal
  std::uint64_t signal_offset = 0;
  std::uint64_t signal_value = 0;
};

class Group {
 public:
  /// Connects to all ranks; all must call it together. Copies use the CUDA context that is current here.
  /// @throws Error(kTimeout) naming the ranks that did not connect; Error as the transport does
  Group(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
        std::span<const ConnectHandle> handles, int rank);
  /// Sends queued operations for a short time and tells the peers that this rank leaves.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Registers a window; all ranks call it together, in the same order. @throws Error(kInvalidArgument,
  /// kConnectionLost)
  Window* add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// Queues a put; the queue is unlimited. The operation is done when the source may be reused; test() then
  /// frees it.
  /// @throws Error(kInvalidArgument) outside a window; Error(kConnectionLost)
  Operation* put(const Put& put);
  /// Queues a get, ordered after all earlier puts to that rank. It is done when the data is in place.
  /// Otherwise like put().
  Operation* get(const Move& get);
  /// Returns a finished operation: data of a finished get needs no flush.
  Operation* flush();
  bool test(Operation* operation);
  /// Sends queued frames, receives frames and applies them.
  void progress();
  /// True if a peer or the link has failed; no later operation works.
  [[nodiscard]] bool has_failed();

 private:
  struct Visitor;
  void connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles);
  void step();
  void exchange(Link& link);
  void apply(Link& link, const Frame& frame, const std::byte* payload);
  void write(const Frame& frame, const std::byte* payload);
  static void answer(Link& link, const Frame& question);
  /// Link to a peer; nullptr for this rank itself. @throws Error(kInvalidArgument, kConnectionLost)
  Link* link_to(std::uint32_t rank);
  [[nodiscard]] static std::uint64_t size_at(const Link* link, const Window& window);
  void put_to_self(const Put& put);
  Operation* take();
  void require_alive() const;
  template <typename Body>
  auto guarded(Body body);

  std::shared_ptr<Transport> transport_;  // lives on after finalize
  const std::size_t rank_;
  std::mutex mutex_;
  Windows windows_;
  std::unique_ptr<Staging> scratch_;  // page-locked word for adding signals
  std::vector<std::unique_ptr<Link>> links_;  // indexed by rank; null for this rank
  std::deque<Operation> operations_;
  std::vector<Operation*> free_;
  std::string failure_;
};

}  // namespace collbench::net_plugin::gin
