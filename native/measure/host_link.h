#pragma once
// What ties the boards of several machines together: a star of TCP connections between the leaders, the first
// ranks of each machine; its middle is the root, the leader whose machine holds rank 0. Carries barriers,
// decisions, starts and clock exchanges in frames of one size. Used by one thread, the leader's.
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/clock_offset.h"

namespace collbench {

/// One connection to another leader.
struct LinkEnd {
  int fd = -1;       // connected stream socket; the link closes it
  std::string name;  // for sentences: "rank 4 on gpu02 (10.0.0.2)"
};

class HostLink {
 public:
  using Now = std::function<std::int64_t()>;

  /// @param ends root: one per other leader; any other leader: the root alone
  /// @param abort every wait looks at it; nonzero throws Error(kCancelled)
  /// @param polls waits poll for a moment before they sleep; for leaders with a core of their own
  /// @param now clock of this machine, ns, monotonic
  HostLink(std::vector<LinkEnd> ends, bool is_root, const std::atomic<std::uint32_t>& abort, bool polls,
           Now now);
  ~HostLink();
  HostLink(const HostLink&) = delete;
  HostLink& operator=(const HostLink&) = delete;

  [[nodiscard]] bool is_root() const noexcept { return is_root_; }

  // Whoever loses a connection throws Error(kConnectionLost) naming the other end; a root tells all others
  // first, and they throw the same with its words.

  /// Returns on all machines once all have come. @param late this machine's count of late ranks
  /// @param decision the root's word to all  @returns it
  std::int64_t barrier(std::int64_t decision, std::uint32_t late);
  /// Root: late ranks of the other machines, as of the last barrier.
  [[nodiscard]] std::uint32_t others_late() const noexcept;

  /// Root: tells all the common start, on its clock. Others: wait for it.
  void announce(std::int64_t start_ns);
  std::int64_t await_start();

  /// A burst of clock exchanges; all leaders call it.
  void synchronise();
  /// The root's clock against this one, now; {0, 0} at the root.
  [[nodiscard]] ClockReading clock() const;

  /// @throws Error(kConnectionLost) when a machine has hung up; for waits on something else
  void look();

 private:
  enum class Kind : std::uint32_t { kArrive = 1, kRelease, kStart, kPing, kPong, kEnd };
  struct Frame {
    Kind kind = Kind::kArrive;
    std::uint32_t late = 0;
    std::uint64_t round = 0;    // of barriers: both ends must mean the same one
    std::int64_t heard_ns = 0;  // when the frame that this one answers was read
    std::int64_t sent_ns = 0;   // both on the sender's clock
    std::int64_t value = 0;     // decision, start, or bytes of text that follow
  };
  struct End {
    int fd = -1;
    std::string name;
    Frame incoming;
    std::size_t filled = 0;  // bytes of `incoming`
    std::uint32_t late = 0;
    std::int64_t heard_ns = 0;
    int pings = 0;
    bool due = false;    // root: a frame of this end is waited for
    bool quiet = false;  // root: nothing had come when the ends were last looked at
  };

  void send(End& end, Frame frame);
  void send_bytes(End& end, const void* data, std::size_t bytes);
  /// Whether a whole frame has come into end.incoming. @throws what a kEnd frame says
  bool receive(End& end);
  bool receive_bytes(End& end, void* data, std::size_t bytes, std::size_t& filled);
  Frame expect(End& end, Kind kind);
  /// Root: hands frames of every end to `take` until it says that the end is through.
  void gather(const std::function<bool(End&)>& take);
  /// Returns when ready() does; sleeps until something comes, if not at once.
  void wait(const std::function<bool()>& ready);
  void stop_if_aborted() const;
  [[noreturn]] void wrong_frame(const End& end) const;
  [[noreturn]] void lose(const End& end, const std::string& why);

  std::vector<End> ends_;
  const bool is_root_;
  const bool polls_;
  const std::atomic<std::uint32_t>& abort_;
  const Now now_;
  std::uint64_t round_ = 0;
  ClockOffset offset_;
};

}  // namespace collbench
