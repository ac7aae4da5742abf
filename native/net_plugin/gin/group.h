#pragma once
// All ranks of a communicator as GIN sees them ("collComm"): windows registered by all together, puts, gets
// and signals from each to each. Any thread may call any function; nothing but connect, add and close waits.
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

/// All ranks connect and register at nearly the same time; one that does not within this has a trouble.
inline constexpr std::int64_t kTogetherNs = 120'000'000'000;

/// Windows are ours; on the side of the other rank ours stands for its window of the same registration.
struct Move {
  const Window* source = nullptr;  // may be nullptr where bytes is 0; as is target
  std::uint64_t source_offset = 0;
  std::size_t bytes = 0;
  const Window* target = nullptr;
  std::uint64_t target_offset = 0;
  std::uint32_t rank = 0;  // the other
};
struct Put : Move {
  const Window* signal = nullptr;  // nullptr: none
  std::uint64_t signal_offset = 0;
  std::uint64_t signal_value = 0;
};

class Group {
 public:
  /// All ranks together. The CUDA context that is current here is used for all copies.
  /// @throws Error(kTimeout) naming the ranks that did not come; Error as the transport does
  Group(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
        std::span<const ConnectHandle> handles, int rank);
  /// Sends what is queued (for a short while only) and says goodbye.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// All ranks together, in the same order. @throws Error(kInvalidArgument, kConnectionLost)
  Window* add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// Never full. The operation is done once the source may be used again; test() then frees it.
  /// @throws Error(kInvalidArgument) outside of a window; Error(kConnectionLost)
  Operation* put(const Put& put);
  /// After all earlier puts to that rank; done once the data are in place. Otherwise as put().
  Operation* get(const Move& get);
  /// Done already: there is nothing between the end of a get and its data.
  Operation* flush();
  bool test(Operation* operation);
  /// Sends, receives and applies what has come.
  void progress();
  /// A peer or the link is gone; nothing works any more.
  [[nodiscard]] bool has_failed();

 private:
  struct Visitor;
  void connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles);
  void step();
  void exchange(Link& link);
  void apply(Link& link, const Frame& frame, const std::byte* payload);
  void write(const Frame& frame, const std::byte* payload);
  static void answer(Link& link, const Frame& question);
  /// nullptr: this rank itself. @throws Error(kInvalidArgument, kConnectionLost)
  Link* link_to(std::uint32_t rank);
  [[nodiscard]] static std::uint64_t size_at(const Link* link, const Window& window);
  void put_to_self(const Put& put);
  Operation* take();
  void require_alive() const;
  template <typename Body>
  auto guarded(Body body);

  std::shared_ptr<Transport> transport_;  // outlives finalize
  const std::size_t rank_;
  std::mutex mutex_;
  Windows windows_;
  std::unique_ptr<Staging> scratch_;          // a page-locked word for signals
  std::vector<std::unique_ptr<Link>> links_;  // by rank; none to itself
  std::deque<Operation> operations_;
  std::vector<Operation*> free_;
  std::string failure_;
};

}  // namespace collbench::net_plugin::gin
