#pragma once
// Work of one rank in one operation, as data: messages, waits and computations. Algorithms write a
// schedule, schedule_runner.cc executes it.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collbench::cpu {

/// Memory that the steps of a schedule read and write: the call's send or receive buffer, or scratch memory.
/// Scratch memory belongs to the engine, which makes it as long as the schedule states.
enum class BufferSpace : std::uint8_t { kSend, kRecv, kScratch };

/// Position in a buffer, in elements from its beginning.
struct BufferPosition {
  BufferSpace space = BufferSpace::kSend;
  std::size_t at = 0;
  [[nodiscard]] BufferPosition plus(std::size_t elements) const noexcept { return {space, at + elements}; }
};

struct ScheduleStep {
  enum class StepKind : std::uint8_t {
    kSend,          // Starts to send a message.
    kReceive,       // Posts a receive, which starts once the sends that it depends on are complete.
    kAwait,         // Waits until the first `completed` receives are complete.
    kDrain,         // Waits until the first `completed` sends are complete.
    kCombine,       // to = from op with, where op is the reduction of the collective.
    kCopy,          // Copies `from` to `to` at once.
    kCopyWhenIdle,  // Copies `from` to `to` while the rank waits, at the latest at the operation's end.
    kDivide         // Divides `to` by the number of ranks.
  };
  StepKind kind = StepKind::kAwait;
  int peer = 0;              // Peer of a message.
  BufferPosition to;         // Destination of a message or of the result; kDivide: the operand, too.
  BufferPosition from;       // Source of a message or copy; kCombine: left operand.
  BufferPosition with;       // kCombine: right operand.
  std::size_t elements = 0;  // Length of the message, operands or copy; 0 for kAwait and kDrain.
  /// Number of messages that must be complete, counted from the first: receives for kAwait, sends for kDrain
  /// and kReceive.
  std::size_t completed = 0;
};

/// Steps of one rank in one collective. Two ranks match their messages in the order of the steps, and both
/// ends have the same length; both omit empty messages. Steps start without waiting, except that kAwait waits
/// for receives and kDrain for sends. A receive may depend on earlier sends, too; steps after it do not wait
/// until it can start. The operation ends when all its messages are complete.
class Schedule {
 public:
  /// Removes all steps. Memory is kept, so that repeated calls allocate nothing.
  void clear() noexcept;
  /// Appends a send. This step and the others with a parameter `elements` are left out if it is 0.
  void send(int peer, BufferPosition from, std::size_t elements);
  /// Appends a receive.
  /// @param sends number of sends, counted from the first, that must be complete before data may arrive,
  /// because they read the same memory
  void receive(int peer, BufferPosition to, std::size_t elements, std::size_t sends = 0);
  /// Appends a step that waits until the data of all receives that were appended before have arrived.
  void await() { await(receives_); }
  /// Appends a step that waits only for the first `receives` receives of the schedule; 0 appends no step.
  void await(std::size_t receives);
  /// Appends a step that waits until the first `sends` sends are complete, so that their memory may be
  /// overwritten.
  void drain(std::size_t sends);
  /// Appends a step that waits until the sends before it are complete.
  void drain() { drain(sends_); }
  /// Appends a step that writes `left` op `right` to `to`, element by element, with the reduction of the
  /// collective.
  void combine(BufferPosition to, BufferPosition left, BufferPosition right, std::size_t elements);
  void copy(BufferPosition to, BufferPosition from, std::size_t elements);
  /// Appends a copy that is made while the rank waits for messages. No other step may write its source or use
  /// its destination.
  void copy_when_idle(BufferPosition to, BufferPosition from, std::size_t elements);
  /// Appends a step that divides elements by the number of ranks, which turns a sum into a mean.
  void divide(BufferPosition what, std::size_t elements);
  /// Reserves scratch memory (temporary memory of the engine), `elements` long, and returns its position.
  BufferPosition scratch(std::size_t elements) noexcept;

  [[nodiscard]] const std::vector<ScheduleStep>& steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_; }
  [[nodiscard]] std::size_t sends() const noexcept { return sends_; }
  [[nodiscard]] std::size_t scratch_elements() const noexcept { return scratch_elements_; }

 private:
  ScheduleStep& add(ScheduleStep::StepKind kind, std::size_t elements);

  std::vector<ScheduleStep> steps_;
  std::size_t receives_ = 0;
  std::size_t sends_ = 0;
  std::size_t scratch_elements_ = 0;
};

}  // namespace collbench::cpu
