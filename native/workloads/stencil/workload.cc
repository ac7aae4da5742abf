// Workload whose unit is a two-dimensional Jacobi iteration with its halo exchange: each point becomes the
// average of its four neighbours. Axes:
//   part     iteration (exchange, then update), halo (only the exchange), update (only the computation)
//   scaling  strong, weak
//   dtype    float32, float64
//   path     who starts the exchange.
//            host: the host, which waits for the update before and for the exchange afterwards
//            stream: the device's stream, in which exchanges are queued between updates
//            proxy, triggered, kernel (initiator.h, gpu.h): if the workload can write the transport's queues;
//            kernel also if kernels can access the neighbours' memory
//            rank: there is no device, and one thread does everything
//   grid     points along one edge of the grid, or of each rank's block with weak scaling
#include "workloads/workload.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.h"
#include "engines/engine.h"
#include "workloads/stencil/decomposition.h"
#include "workloads/stencil/field_check.h"
#include "workloads/stencil/gpu.h"
#include "workloads/stencil/halo_memory.h"
#include "workloads/stencil/halo_puts.h"
#include "workloads/stencil/initiator.h"
#include "workloads/stencil/kernels.h"
#include "workloads/stencil/reference.h"

namespace collbench {
namespace stencil {
namespace {

constexpr Ability kNeeds[] = {Ability::kComputations};
constexpr Ability kEither[] = {Ability::kMessages, Ability::kStores, Ability::kPuts};
constexpr std::string_view kAxes[] = {"part", "scaling", "dtype", "path", "grid"};
constexpr std::string_view kScalings[] = {"strong", "weak"};
constexpr std::string_view kParts[] = {"iteration", "halo", "update"};
constexpr std::string_view kPaths[] = {"host", "stream", "proxy", "triggered", "kernel", "rank"};
constexpr std::string_view kTypes[] = {"float32", "float64"};
constexpr std::int64_t kLargestGrid = std::int64_t{1} << 20;
/// Maximum number of grid points for which all iterations of a batch are computed again to verify the last
/// one. On larger grids, one additional iteration runs on fresh values and is verified.
constexpr std::int64_t kSmallGridPoints = std::int64_t{512} * 512;

enum class Part : std::uint8_t { kIteration, kHalo, kUpdate };

struct Shape {
  std::int64_t grid = 0;
  bool weak = false;
  Part part = Part::kIteration;
  Path path = Path::kHost;
  bool wide = false;  // True for float64.
};

Shape shape_of_axes(const Axes& axes) {
  Shape shape;
  shape.grid = axes.whole("grid", 1, kLargestGrid);
  shape.weak = axes.choice("scaling", kScalings) == 1;
  shape.part = static_cast<Part>(axes.choice("part", kParts));
  shape.path = static_cast<Path>(axes.choice("path", kPaths));
  shape.wide = axes.choice("dtype", kTypes) == 1;
  return shape;
}

template <class T>
class Stencil final : public Workload {
 public:
  Stencil(const WorkloadContext& context, const Shape& shape)
      : engine_(context.engine),
        part_(shape.part),
        path_(shape.path),
        seed_(context.seed),
        portion_(stencil::portion_of(shape.grid, shape.weak, context.rank, context.ranks)),
        memory_(engine_, portion_, sizeof(T)),
        update_(stencil::jacobi<T>()) {
    for (int turn = 0; turn < 2; ++turn) {
      stencil::JacobiArgs& args = args_[turn];
      args.in = field(turn);
      args.out = field(1 - turn);
      for (int side = 0; side < kSides; ++side) {
        args.halos[side] = memory_.halo(turn, side);
        args.edges[side] = memory_.edge(1 - turn, side);
        add_messages(turn, side);
      }
      args.width = static_cast<unsigned long long>(portion_.block.width);
      args.height = static_cast<unsigned long long>(portion_.block.height);
    }
    if (engine_.device_port() != nullptr) {
      take_to_gpu();
    } else if (engine_.timeline() == nullptr && path_ != Path::kRank) {
      initiate();
    }
    fill(context.iteration);
  }

  void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t) override {
    fill(iteration);
    units_ = units;
  }

  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n, turn_ = 1 - turn_) {
      if (initiator_) {
        initiator_->operate(turn_);
        continue;
      }
      if (gpu_) {
        gpu_->operate(turn_);
      } else if (exchanges()) {
        exchange();
      }
      if (updates()) compute(turn_);
    }
  }

  void wait() override {
    if (gpu_)
      gpu_->finish();
    else
      engine_.synchronize();
  }
  /// Returns the object that takes time stamps on the device; null if operations must be timed on the host.
  /// On the path host, the host waits within an iteration, so iterations cannot be queued before the start.
  /// With a GPU all paths use the host's clock, so that they can be compared.
  DeviceTimeline* timeline() override {
    if (engine_.device_port() != nullptr) return nullptr;
    return path_ == Path::kHost && part_ != Part::kUpdate ? nullptr : engine_.timeline();
  }
  [[nodiscard]] bool repeatable() const override {
    return part_ == Part::kHalo || portion_.grid.width * portion_.grid.height <= kSmallGridPoints;
  }

  Verification verify(std::uint64_t iteration) override {
    const stencil::InitialValues first(seed_, iteration);
    stencil::FieldCheck<T> check(portion_);
    const int last = 1 - turn_;  // Turn of the last unit.
    if (part_ != Part::kUpdate)
      for (int side = 0; side < kSides; ++side)
        if (portion_.neighbours[side] >= 0)
          check.take_halo(side, downloaded(points(memory_.halo(last, side)), length(side)));
    const std::uint64_t iterations = part_ == Part::kHalo ? 0 : units_;
    // The computation alone never receives neighbours' values.
    stencil::Reference<T> reference(first, part_ == Part::kUpdate ? portion_.block : portion_.grid);
    for (const Rectangle& band : stencil::bands_of(portion_.block, iterations)) {
      reference.compute(band, iterations);
      check.compare_halo(reference.before(), band);
      if (part_ == Part::kHalo) continue;
      const auto width = static_cast<std::size_t>(band.width);
      const T* const at = field(turn_) + (band.y - portion_.block.y) * band.width;
      check.compare_field(reference.after(), band,
                          downloaded(at, width * static_cast<std::size_t>(band.height)));
    }
    return check.result();
  }

 private:
  static T* points(std::byte* lane) { return reinterpret_cast<T*>(lane); }
  [[nodiscard]] T* field(int turn) const { return points(memory_.field(turn)); }

  [[nodiscard]] bool exchanges() const { return part_ != Part::kUpdate && !messages_[0].empty(); }
  [[nodiscard]] bool updates() const { return part_ != Part::kHalo; }

  /// Returns true if the transport has queues that the workload can write.
  /// @throws Error(kInvalidArgument) if it has none and `needs` is true
  bool has_queues(bool needs) {
    try {
      engine_.put_port();
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInvalidArgument || needs) throw;
      return false;
    }
  }

  [[nodiscard]] stencil::Neighbours neighbours() const {
    stencil::Neighbours all{portion_.neighbours, {}};
    for (int side = 0; side < kSides; ++side) all.bytes[side] = length(side) * sizeof(T);
    return all;
  }

  stencil::HaloPuts* connect() {
    return &puts_.emplace(engine_, memory_, neighbours(),
                          engine_.spins(stencil::threads_of(path_, updates())));
  }

  void initiate() {
    const bool has_puts = has_queues(path_ != Path::kHost) && exchanges();
    stencil::Iteration iteration;
    if (has_puts) {
      iteration.puts = connect();
      iteration.exchange = [this](int turn) {
        puts_->put(turn);
        puts_->await_halos(turn);
      };
    } else if (exchanges()) {
      iteration.exchange = [this](int turn) { engine_.transfer(messages_[turn]); };
    }
    if (updates()) iteration.update = [this](int turn) { compute(turn); };
    initiator_.emplace(engine_, path_, std::move(iteration));
  }

  void take_to_gpu() {
    const bool has_puts = has_queues(path_ != Path::kHost && path_ != Path::kKernel);
    if (!exchanges()) return;
    gpu_.emplace(engine_, path_, memory_, neighbours(), has_puts ? connect() : nullptr);
  }

  void compute(int turn) {
    engine_.launch(update_, &args_[turn], stencil::jacobi_threads(args_[0].width, args_[0].height));
  }

  void exchange() {
    const bool by_host = path_ == Path::kHost;
    if (by_host) engine_.synchronize();
    engine_.transfer(messages_[turn_]);
    if (by_host) engine_.synchronize();
  }

  [[nodiscard]] std::size_t length(int side) const {
    return static_cast<std::size_t>(side < stencil::kWest ? portion_.block.width : portion_.block.height);
  }

  void add_messages(int turn, int side) {
    const int peer = portion_.neighbours[side];
    if (peer < 0) return;
    const std::size_t bytes = length(side) * sizeof(T);
    messages_[turn].push_back({PeerMessage::Direction::kReceive, peer, memory_.halo(turn, side), bytes});
    messages_[turn].push_back({PeerMessage::Direction::kSend, peer, memory_.edge(turn, side), bytes,
                               memory_.halo(turn, stencil::opposite(side))});
  }

  std::vector<T> downloaded(const T* from, std::size_t count) {
    std::vector<T> values(count);
    engine_.download(values.data(), from, count * sizeof(T));
    return values;
  }

  /// Returns the values with which the points of a rectangle start, row by row. The rectangle may lie just
  /// outside the grid. @param of the rectangle
  std::vector<T> first_values(const stencil::InitialValues& first, const Rectangle& of) const {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(of.width * of.height));
    for (std::int64_t y = of.y; y < of.y + of.height; ++y)
      for (std::int64_t x = of.x; x < of.x + of.width; ++x) values.push_back(first.at<T>(x, y));
    return values;
  }

  void upload(T* to, const std::vector<T>& values) {
    engine_.upload(to, values.data(), values.size() * sizeof(T));
  }

  /// Writes initial values into the field and the edges. Halos that will be received get NaN, so that a value
  /// computed from an old halo is always wrong.
  void fill(std::uint64_t iteration) {
    const stencil::InitialValues first(seed_, iteration);
    for (const Rectangle& band : stencil::bands_of(portion_.block, 0))
      upload(field(turn_) + (band.y - portion_.block.y) * band.width, first_values(first, band));
    for (int side = 0; side < kSides; ++side) {
      const std::vector<T> edge = first_values(first, stencil::edge_of(portion_.block, side));
      const bool is_received = portion_.neighbours[side] >= 0 && part_ != Part::kUpdate;
      const std::vector<T> halo = is_received
                                      ? std::vector<T>(length(side), std::numeric_limits<T>::quiet_NaN())
                                      : first_values(first, stencil::halo_of(portion_.block, side));
      for (int turn = 0; turn < 2; ++turn) {
        upload(points(memory_.edge(turn, side)), edge);
        upload(points(memory_.halo(turn, side)), halo);
      }
    }
  }

  Engine& engine_;
  const Part part_;
  const Path path_;
  const std::uint64_t seed_;
  const stencil::GridPortion portion_;
  const stencil::HaloMemory memory_;
  const Computation update_;
  std::array<stencil::JacobiArgs, 2> args_{};         // Indexed by turn.
  std::array<std::vector<PeerMessage>, 2> messages_;  // Indexed by turn.
  int turn_ = 0;                                      // Turn of the next unit.
  std::optional<stencil::HaloPuts> puts_;
  std::optional<stencil::StencilInitiator>
      initiator_;  // Destroyed first: its threads end before the other members.
  // Destroyed first as well: its kernels end before the other members.
  std::optional<stencil::GpuExchange> gpu_;
  std::uint64_t units_ = 0;  // Units from the initial values to the verified ones.
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  const Shape shape = shape_of_axes(axes);
  if (shape.wide) return std::make_unique<Stencil<double>>(context, shape);
  return std::make_unique<Stencil<float>>(context, shape);
}

std::string words_of(const Axes& axes) {
  const Shape shape = shape_of_axes(axes);
  const std::string edge = std::to_string(shape.grid);
  return "stencil " + edge + " x " + edge + (shape.weak ? " per rank" : "") +
         (shape.part == Part::kIteration
              ? ""
              : ", " + std::string(kParts[static_cast<int>(shape.part)]) + " alone");
}

}  // namespace
}  // namespace stencil

WorkloadEntry stencil_workload() {
  return {"stencil", stencil::kNeeds, stencil::kAxes, stencil::create, stencil::words_of, stencil::kEither};
}

}  // namespace collbench
