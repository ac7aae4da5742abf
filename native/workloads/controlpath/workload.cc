// The same puts from rank 0 into the memory of rank 1, started by whom? Axes:
//   path         host, stream, proxy, triggered, kernel (threads.h, gpu.h)
//   granularity  thread, block, kernel: who counts where the path is triggered; null for the others
//   scope        thread, warp, block: who writes entries together
//   queues       over so many queues at the same time
//   puts         in one operation on each queue
//   batch        puts per doorbell
//   bytes        of one put; the last 8 are the number of the operation
#include "workloads/workload.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "workloads/controlpath/arrival.h"
#include "workloads/controlpath/gpu.h"
#include "workloads/controlpath/lanes.h"
#include "workloads/controlpath/threads.h"

namespace collbench {
namespace {

using controlpath::Granularity;
using controlpath::Lanes;
using controlpath::Load;
using controlpath::Path;
using controlpath::Scope;

constexpr Ability kNeeds[] = {Ability::kPuts};
constexpr std::string_view kAxes[] = {"path", "granularity", "scope", "queues", "puts", "batch", "bytes"};
constexpr std::string_view kPaths[] = {"host", "stream", "proxy", "triggered", "kernel"};
constexpr std::string_view kGranularities[] = {"thread", "block", "kernel"};
constexpr std::string_view kScopes[] = {"thread", "warp", "block"};
constexpr std::int64_t kMostQueues = 16;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

struct Shape {
  Path path = Path::kHost;
  Granularity granularity = Granularity::kBlock;
  Scope scope = Scope::kThread;
  Load load;
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
  shape.load.queues = static_cast<std::uint32_t>(axes.whole("queues", 1, kMostQueues));
  shape.load.puts = static_cast<std::uint32_t>(axes.whole("puts", 1, PutQueue::kMostPuts));
  shape.load.batch = static_cast<std::uint32_t>(axes.whole("batch", 1, shape.load.puts));
  if (shape.load.puts % shape.load.batch != 0)
    throw Error(ErrorCode::kInvalidArgument, "batch " + std::to_string(shape.load.batch) +
                                                 " does not divide puts " + std::to_string(shape.load.puts));
  shape.load.bytes = static_cast<std::size_t>(axes.whole("bytes", 8, kMostBytes));
  if (shape.load.bytes % sizeof(std::uint64_t) != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "puts end with a number of 8 bytes: their length is a multiple of 8, not " +
                    std::to_string(shape.load.bytes));
  return shape;
}

/// Byte `index` of all that one operation puts.
std::byte byte_at(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index) noexcept {
  std::uint64_t value = seed ^ (iteration * 0x9E3779B97F4A7C15ULL) ^ (index * 0xBF58476D1CE4E5B9ULL);
  value ^= value >> 29;
  return static_cast<std::byte>(value * 0x94D049BB133111EBULL >> 56);
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
    const Load& load = lanes_.load();
    std::vector<std::byte> arrived(load.total_bytes());
    engine_.download(arrived.data(), target_, arrived.size());
    for (std::uint32_t q = 0; q < load.queues; ++q)
      for (std::uint32_t n = 0; n < load.puts; ++n) {
        const std::byte* put = arrived.data() + (lanes_.target(q, n) - target_);
        for (std::size_t i = 0; i < load.bytes; ++i) {
          const auto index = static_cast<std::uint64_t>(put - arrived.data()) + i;
          const bool is_number = i + sizeof number_ >= load.bytes;
          const auto shift = 8 * (i + sizeof number_ - load.bytes);
          const std::byte wanted =
              is_number ? static_cast<std::byte>(number_ >> shift) : byte_at(seed_, iteration, index);
          ++result.compared;
          if (put[i] == wanted) continue;
          if (result.wrong++ > 0) continue;
          result.first_index = index;
          result.wanted = std::to_string(std::to_integer<int>(wanted));
          result.got = std::to_string(std::to_integer<int>(put[i]));
          result.note = is_number ? "number of the operation" : "";
        }
      }
    return result;
  }

  void take_columns(Columns& columns) override {
    if (initiator_) initiator_->take(columns);
  }

 private:
  static int require_rank(const WorkloadContext& context) {
    if (context.ranks != 2)
      throw Error(ErrorCode::kInvalidArgument,
                  "control paths go from rank 0 to rank 1: 2 ranks, not " + std::to_string(context.ranks));
    return context.rank;
  }

  std::unique_ptr<controlpath::Initiator> make_initiator(const Shape& shape) {
    if (engine_.device_port() == nullptr)
      return std::make_unique<controlpath::ThreadInitiator>(engine_, lanes_, shape.path, shape.granularity);
    // Nothing is put into the initiator's target: there is room to count.
    return std::make_unique<controlpath::GpuInitiator>(
        engine_, lanes_, controlpath::GpuShape{shape.path, shape.granularity, shape.scope}, target_);
  }

  /// Room for the puts, and for the addresses that are exchanged before.
  std::byte* memory(int index, const Load& load) {
    const std::size_t least = sizeof(PutTarget) + load.queues * sizeof(PutQueue::Address);
    return static_cast<std::byte*>(engine_.buffer(index, std::max(load.total_bytes(), least)));
  }

  /// Fresh bytes to be put, or poison where they arrive: other bytes, and 0 for the number.
  void fill(std::uint64_t iteration) {
    const Load& load = lanes_.load();
    std::vector<std::byte> bytes(load.total_bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = byte_at(seed_, iteration, i);
      if (!is_initiator_) bytes[i] = ~bytes[i];
    }
    if (!is_initiator_)
      for (std::size_t end = load.bytes; end <= bytes.size(); end += load.bytes)
        std::fill_n(bytes.data() + end - sizeof number_, sizeof number_, std::byte{0});
    engine_.upload(is_initiator_ ? source_ : target_, bytes.data(), bytes.size());
  }

  void count_arrived() {
    const Load& load = lanes_.load();
    PutPort& port = engine_.put_port();
    for (std::uint32_t n = 0; n < load.queues * load.puts; ++n) port.count_received(load.bytes);
  }

  /// The number of a put may be seen before its other bytes: only the initiator knows that all have come.
  void await_initiator() {
    const Message::Way way = is_initiator_ ? Message::Way::kSend : Message::Way::kReceive;
    const Message message{way, is_initiator_ ? 1 : 0, source_, sizeof number_};
    engine_.transfer(std::span(&message, 1));
    engine_.synchronize();
  }

  Engine& engine_;
  const std::uint64_t seed_;
  const bool is_initiator_;
  std::byte *const source_, *const target_;
  Lanes lanes_;
  std::uint64_t number_ = 0;  // of the last operation
  std::unique_ptr<controlpath::Arrival> arrival_;
  std::unique_ptr<controlpath::Initiator> initiator_;  // its threads end first
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<ControlPath>(context, shape_of_axes(axes));
}

std::string words_of(const Axes& axes) {
  const Shape shape = shape_of_axes(axes);
  return std::string("put ") + size_in_words(shape.load.bytes) + " by " +
         std::string(kPaths[static_cast<int>(shape.path)]);
}

}  // namespace

WorkloadEntry controlpath_workload() { return {"controlpath", kNeeds, kAxes, create, words_of}; }

}  // namespace collbench
