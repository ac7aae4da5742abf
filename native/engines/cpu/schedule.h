#pragma once
// What one rank does in one operation, as data: messages, when to wait for them, what to do with what came.
// Algorithms write it, pure; schedule_runner.cc carries it out.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collbench::cpu {

/// Memory that steps name. Scratch is the engine's own, as long as the schedule says.
enum class Space : std::uint8_t { kSend, kRecv, kScratch };

/// Elements from the beginning of a space.
struct Place {
  Space space = Space::kSend;
  std::size_t at = 0;
  [[nodiscard]] Place plus(std::size_t elements) const noexcept { return {space, at + elements}; }
};

struct Step {
  enum class Kind : std::uint8_t { kSend, kReceive, kAwait, kDrain, kCombine, kCopy, kDivide };
  Kind kind = Kind::kAwait;
  int peer = 0;  // of a message
  Place to;      // where a message lands, or the result; kDivide: both
  Place from;    // what is sent or copied; left operand
  Place with;    // right operand
  std::size_t elements = 0;
  std::size_t receives = 0;  // kAwait: so many, in the order of their steps, are complete
};

/// Messages of a pair match in the order of the steps, each as long on both sides; those of no elements are
/// left out on both. Nothing waits unless a step says so, but an operation ends when all its messages have.
class Schedule {
 public:
  /// Memory is kept, so that repeated calls allocate nothing.
  void clear() noexcept;
  void send(int peer, Place from, std::size_t elements);
  void receive(int peer, Place to, std::size_t elements);
  /// Until what was received so far is there.
  void await() { await(receives_); }
  void await(std::size_t receives);
  /// Until the memory of what was sent so far may be overwritten.
  void drain();
  void combine(Place to, Place left, Place right, std::size_t elements);
  void copy(Place to, Place from, std::size_t elements);
  /// By the number of ranks, which makes a sum a mean.
  void divide(Place what, std::size_t elements);
  /// Scratch of so many elements that nobody else has.
  Place scratch(std::size_t elements) noexcept;

  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_; }
  [[nodiscard]] std::size_t scratch_elements() const noexcept { return scratch_elements_; }

 private:
  Step& add(Step::Kind kind, std::size_t elements);

  std::vector<Step> steps_;
  std::size_t receives_ = 0;
  std::size_t scratch_elements_ = 0;
};

}  // namespace collbench::cpu
