// Workload that compares who starts puts from rank 0 into the memory of rank 1. Axes:
//   path         host, stream, proxy, triggered, kernel (threads.h, gpu.h)
//   granularity  thread, block, kernel: who counts on path triggered; null on others
//   scope        thread, warp, block: who writes entries together
//   queues       number of queues in use at the same time
//   puts         puts per operation on each queue
//   batch        puts per doorbell
//   bytes        bytes of one put; the last 8 are the operation's number
#include "workloads/workload.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "workloads/controlpath/arrival.h"
#include "workloads/controlpath/gpu.h"
#include "workloads/controlpath/put_queues.h"
#include "workloads/controlpath/threads.h"

namespace collbench {
namespace controlpath {
namespace {

constexpr Ability kNeeds[] = {Ability::kPuts};
constexpr std::string_view kAxes[] = {"path", "granularity", "scope", "queues", "puts", "batch", "bytes"};
constexpr std::string_view kPaths[] = {"host", "stream", "proxy", "triggered", "kernel"};
constexpr std::string_view kGranularities[] = {"thread", "block", "kernel"};
constexpr std::string_view kScopes[] = {"thread", "warp", "block"};
constexpr std::int64_t kMaxQueues = 16;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;

struct Shape {
  Path path = Path::kHost;
  Granularity granularity = Granularity::kBlock;
  Scope scope = Scope::kThread;
  PutLoad load;
};

Shape shape_of_axes(const Axes& axes) {
  Shape shape;
  shape.path = static_cast<Path>(axes.choice("path", kPaths));
  if (shape.path == Path::kTriggered) {
    shape.granularity = static_cast<Granularity>(axes.choice("granularity", kGranularities));
  } else if (!axes.is_null("granularity")) {
    throw Error(ErrorCode::kInvalidArgument, "granularity is for the path triggered; the others have none");
  }
  shape.scope = static_cast<Scope>(axes.choice("scope", kScopes));
  shape.load.queues = static_cast<std::uint32_t>(axes.whole("queues", 1, kMaxQueues));
  shape.load.puts = static_cast<std::uint32_t>(axes.whole("puts", 1, PutQueue::kMaxPuts));
  shape.load.batch = static_cast<std::uint32_t>(axes.whole("batch", 1, shape.load.puts));
  if (shape.load.puts % shape.load.batch != 0)
    throw Error(ErrorCode::kInvalidArgument, "batch " + std::to_string(shape.load.batch) +
                                                 " does not divide puts " + std::to_string(shape.load.puts));
  shape.load.bytes = static_cast<std::size_t>(axes.whole("bytes", 8, kMaxBytes));
  if (shape.load.bytes % sizeof(std::uint64_t) != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "puts end with a number of 8 bytes: their length is a multiple of 8, not " +
                    std::to_string(shape.load.bytes));
  return shape;
}

constexpr std::size_t kWord = sizeof(std::uint64_t);

/// Returns the test data of one operation as words of 8 bytes: the word that must arrive at position `index`,
/// from 0.
std::uint64_t word_at(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index) noexcept {
  std::uint64_t value = seed ^ (iteration * 0x9E3779B97F4A7C15ULL) ^ (index * 0xBF58476D1CE4E5B9ULL);
  value = (value ^ (value >> 29)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 32);
}

class ControlPath final : public Workload {
 public:
  ControlPath(const WorkloadContext& context, const Shape& shape)
      : engine_(context.engine),
        seed_(context.seed),
        is_initiator_(require_rank(context) == 0),
        source_(memory(0, shape.load)),
        target_(memory(1, shape.load)),
        lanes_(engine_, shape.load, 1 - context.rank, source_, target_) {
    if (is_initiator_)
      initiator_ = make_initiator(shape);
    else
      arrival_ = controlpath::make_arrival(engine_, lanes_);
    fill(context.iteration);
  }

  void prepare(std::uint64_t iteration, std::uint32_t, std::uint32_t) override {
    fill(iteration);
    if (initiator_) initiator_->prepare();
  }

  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n) {
      ++number_;
      if (is_initiator_) {
        initiator_->operate(number_);
      } else {
        arrival_->await(number_);
        count_arrived();
      }
    }
  }

  Verification verify(std::uint64_t iteration) override {
    Verification result;
    await_initiator();
    if (is_initiator_) return result;
    const PutLoad& load = lanes_.load();
    std::vector<std::uint64_t> arrived(load.total_bytes() / kWord);
    engine_.download(arrived.data(), target_, load.total_bytes());
    const std::size_t put_words = load.bytes / kWord;
    for (std::size_t word = 0; word < arrived.size(); ++word) {
      const bool is_number = (word + 1) % put_words == 0;
      const std::uint64_t wanted = is_number ? number_ : word_at(seed_, iteration, word);
      result.compared += kWord;
      if (arrived[word] != wanted) count_wrong(result, word, wanted, arrived[word], is_number);
    }
    return result;
  }

  void take_columns(OperationColumns& columns) override {
    if (initiator_) initiator_->take(columns);
  }

 private:
  /// Adds the wrong bytes of 8 received bytes to the verification result. @param word index of these 8 bytes
  /// @param is_number true if they hold the number of the operation
  static void count_wrong(Verification& result, std::size_t word, std::uint64_t wanted, std::uint64_t got,
                          bool is_number) {
    for (std::size_t byte = 0; byte < kWord; ++byte) {
      const auto [right, seen] = std::pair(wanted >> (8 * byte) & 0xFF, got >> (8 * byte) & 0xFF);
      if (right == seen || result.wrong++ > 0) continue;
      result.first_index = word * kWord + byte;
      result.wanted = std::to_string(right);
      result.got = std::to_string(seen);
      result.note = is_number ? "number of the operation" : "";
    }
  }

  static int require_rank(const WorkloadContext& context) {
    if (context.ranks != 2)
      throw Error(ErrorCode::kInvalidArgument,
                  "control paths go from rank 0 to rank 1: 2 ranks, not " + std::to_string(context.ranks));
    return context.rank;
  }

  std::unique_ptr<controlpath::Initiator> make_initiator(const Shape& shape) {
    if (engine_.device_port() == nullptr)
      return std::make_unique<controlpath::ThreadInitiator>(engine_, lanes_, shape.path, shape.granularity);
    // Nothing is put into the initiator's target buffer, so it has room for the counter.
    return std::make_unique<controlpath::GpuInitiator>(
        engine_, lanes_, controlpath::GpuShape{shape.path, shape.granularity, shape.scope}, target_);
  }

  /// Returns the engine's buffer `index`, long enough for the puts and for the addresses that are exchanged
  /// before them.
  std::byte* memory(int index, const PutLoad& load) {
    const std::size_t least = sizeof(PutTarget) + load.queues * sizeof(PutQueue::Address);
    return static_cast<std::byte*>(engine_.buffer(index, std::max(load.total_bytes(), least)));
  }

  /// On the initiator, fills the source memory with the test data of an operation. On the target, fills the
  /// target memory with other bytes, and 0 in place of the operation's number.
  void fill(std::uint64_t iteration) {
    const PutLoad& load = lanes_.load();
    std::vector<std::uint64_t> words(load.total_bytes() / kWord);
    const std::size_t put_words = load.bytes / kWord;
    for (std::size_t word = 0; word < words.size(); ++word) {
      const std::uint64_t fresh = word_at(seed_, iteration, word);
      const bool is_number = (word + 1) % put_words == 0;
      words[word] = is_initiator_ ? fresh : is_number ? 0 : ~fresh;
    }
    engine_.upload(is_initiator_ ? source_ : target_, words.data(), load.total_bytes());
  }

  void count_arrived() {
    const PutLoad& load = lanes_.load();
    PutPort& port = engine_.put_port();
    for (std::uint32_t n = 0; n < load.queues * load.puts; ++n) port.count_received(load.bytes);
  }

  /// Sends a message on the initiator and waits for it on the target. The number of a put may be visible
  /// before its other bytes, and only the initiator knows when all bytes have arrived.
  void await_initiator() {
    const PeerMessage::Direction way =
        is_initiator_ ? PeerMessage::Direction::kSend : PeerMessage::Direction::kReceive;
    const PeerMessage message{way, is_initiator_ ? 1 : 0, source_, sizeof number_};
    engine_.transfer(std::span(&message, 1));
    engine_.synchronize();
  }

  Engine& engine_;
  const std::uint64_t seed_;
  const bool is_initiator_;
  std::byte *const source_, *const target_;
  PutQueues lanes_;
  std::uint64_t number_ = 0;  // Number of the last operation.
  std::unique_ptr<controlpath::Arrival> arrival_;
  // Destroyed first: its threads end before the other members.
  std::unique_ptr<controlpath::Initiator> initiator_;
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<ControlPath>(context, shape_of_axes(axes));
}

std::string words_of(const Axes& axes) {
  const Shape shape = shape_of_axes(axes);
  return std::string("put ") + format_size(shape.load.bytes) + " by " +
         std::string(kPaths[static_cast<int>(shape.path)]);
}

}  // namespace
}  // namespace controlpath

WorkloadEntry controlpath_workload() {
  return {"controlpath", controlpath::kNeeds, controlpath::kAxes, controlpath::create, controlpath::words_of};
}

}  // namespace collbench
