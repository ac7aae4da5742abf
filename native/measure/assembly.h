#pragma once
// The ranks that measure together, as one of them sees them: those of its machine on a board, and those of
// other machines behind the link of the machine's leader (board index 0).
#include <cstdint>

#include "measure/board.h"
#include "measure/host_link.h"

namespace collbench {

class Assembly {
 public:
  /// @param index of this rank on the board, which holds all ranks unless span() says otherwise
  Assembly(Board& board, int index) noexcept : board_(board), index_(index) {}
  /// There are ranks on other machines. @param link the leader's, outlives this; null on all other ranks
  void span(HostLink* link) noexcept {
    spans_hosts_ = true;
    link_ = link;
  }

  [[nodiscard]] Board& board() const noexcept { return board_; }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] bool spans_hosts() const noexcept { return spans_hosts_; }
  /// True on one rank of all, rank 0: it decides, announces and counts.
  [[nodiscard]] bool decides() const noexcept { return index_ == 0 && (!spans_hosts_ || link_->is_root()); }

  // Waits throw Error(kCancelled) when the board's abort is raised and Error(kConnectionLost) when another
  // machine is lost; that raises abort, so that the other ranks of this board leave, too.

  void barrier();
  /// Brings the machines' clocks in line for the block to come; all call it. Nothing on one machine.
  void synchronise();

  /// The decider's word, which all can read after the next barrier.
  void decide(std::int64_t decision) noexcept { board_.decision.store(decision, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t decision() const noexcept {
    return board_.decision.load(std::memory_order_relaxed);
  }
  /// The decider: ranks that missed a start so far, those of other machines as of the last barrier.
  [[nodiscard]] std::uint32_t late() const noexcept;

  /// The decider tells the common start; it is on its own board at once.
  void announce(std::int64_t start_ns);
  /// All others, after a barrier that a start follows: the leader puts it on its board, in its own clock.
  void pass_on_start();

  /// What turns a time of this machine into one of the root's clock. Holds until the next barrier.
  [[nodiscard]] ClockReading clock() const noexcept {
    return {board_.clock_offset_ns.load(std::memory_order_relaxed),
            board_.clock_uncertainty_ns.load(std::memory_order_relaxed)};
  }

 private:
  template <class Talk>
  void over_link(Talk talk);
  void note_clock() noexcept;
  void show_start(std::int64_t start_ns) noexcept;

  Board& board_;
  int index_;
  bool spans_hosts_ = false;
  HostLink* link_ = nullptr;
};

}  // namespace collbench
