#include "agent/rank_session.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "agent/cores.h"
#include "agent/link_hosts.h"
#include "collectives/pattern.h"
#include "core/clock.h"
#include "core/error.h"

namespace collbench::agent {
namespace {

/// Places in rotated buffers start on it: as well aligned as the buffer itself as far as kernels care.
constexpr std::size_t kPlaceAlignment = 512;

/// Places filled before a cell's first block: all of them where data rates matter; small messages beyond
/// them move what was there before (new memory holds zeros).
constexpr std::uint64_t kFilledPlaces = 64;

bool same_shape(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.op == b.op && a.root == b.root &&
         a.in_place == b.in_place && a.count == b.count;
}

void check_operation(const Operation& operation, int ranks) {
  if (operation.root < 0 || operation.root >= ranks)
    throw Error(ErrorCode::kInvalidArgument, "root " + std::to_string(operation.root) +
                                                 " is no rank; there are 0 to " + std::to_string(ranks - 1));
  check_runnable(operation, ranks);
}

/// Adds up what the verifications of one block found.
class Checks {
 public:
  void add(std::uint64_t iteration, const Verification& found) {
    ++count_;
    wrong_.compared_elements += found.compared;
    wrong_.wrong_elements += found.wrong;
    if (found.wrong > 0 && !wrong_.first)
      wrong_.first = FirstWrong{iteration, found.first_index, found.wanted, found.got, found.note};
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const WrongData& wrong() const { return wrong_; }

 private:
  std::uint64_t count_ = 0;
  WrongData wrong_;
};

/// Sleeps until then, or until the board is aborted.
void sleep_until(std::int64_t instant_ns, const Board& board) {
  constexpr std::int64_t kLongestNap = 20'000'000;
  for (std::int64_t now = now_ns(); now < instant_ns; now = now_ns()) {
    if (board.abort.load(std::memory_order_relaxed) != 0)
      throw Error(ErrorCode::kCancelled, "stopped before the common start: the run is being ended");
    const std::int64_t until = std::min(instant_ns, now + kLongestNap);
    const timespec at{until / 1'000'000'000, until % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

TransportCounters difference(const TransportCounters& after, const TransportCounters& before) {
  return {after.bytes_sent - before.bytes_sent, after.bytes_received - before.bytes_received,
          after.messages_sent - before.messages_sent, after.messages_received - before.messages_received};
}

}  // namespace

RankSession::RankSession(Bootstrap& bootstrap, Board& board, int board_index, const RankOptions& options,
                         EngineLookup lookup)
    : board_(board),
      board_index_(board_index),
      rank_(bootstrap.rank()),
      ranks_(bootstrap.size()),
      all_(board, board_index),
      seed_(options.seed) {
  RankProgress& progress = *board_.progress(board_index_);
  progress.pid.store(static_cast<std::int32_t>(getpid()));
  mark(RankPhase::kConnecting, 0);
  const EngineEntry* entry = lookup(options.engine);
  if (entry == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "engine '" + options.engine + "' is not part of this build");
  EngineOptions engine_options = options.engine_options;
  engine_options.spins = board_.spins;
  if (ranks_ != board_.ranks) {
    engine_options.transport_options.spans_hosts = true;
    LinkedHosts linked = link_hosts(bootstrap, board_, board_index_, engine_options.transport_options);
    link_ = std::move(linked.link);
    all_.span(link_.get());
    engine_options.spins = linked.spins;
    unbound_ = linked.shares_cores && !options.stays_bound;
    if (unbound_) unbind();
  }
  engine_options.transport_options.rank = rank_;
  engine_options.transport_options.ranks = ranks_;
  engine_options.local_rank = board_index_;
  engine_options.local_ranks = board_.ranks;
  engine_options.cancelled = [&board] { return board.abort.load(std::memory_order_relaxed) != 0; };
  engine_ = entry->create(bootstrap, engine_options);
  mark(RankPhase::kIdle, 0);
}

RankReady RankSession::ready() const {
  const DeviceProperties device = engine_->device();
  return {device.name, device.detail, device.medium, engine_->facts(), unbound_};
}

void RankSession::mark(RankPhase phase, std::uint64_t block) {
  RankProgress& progress = *board_.progress(board_index_);
  progress.block.store(block, std::memory_order_relaxed);
  progress.changed_ns.store(now_ns(), std::memory_order_relaxed);
  progress.phase.store(phase, std::memory_order_release);
}

RankSession::Buffers RankSession::take_buffers(const Operation& operation) {
  const BufferShape shape = shape_of(operation, rank_, ranks_);
  const std::size_t element = size_of(operation.dtype);
  const std::size_t offset = in_place_offset(operation, rank_) * element;
  std::size_t send_bytes = shape.send_elements * element, recv_bytes = shape.recv_elements * element;
  if (engine_->equal_buffers()) {
    for (int r = 0; r < ranks_; ++r) {
      const BufferShape other = shape_of(operation, r, ranks_);
      send_bytes = std::max(send_bytes, other.send_elements * element);
      recv_bytes = std::max(recv_bytes, other.recv_elements * element);
    }
  }
  Buffers buffers;
  buffers.misaligned = engine_->misalign_elements() * element;
  const std::size_t most = std::max(send_bytes, recv_bytes) + buffers.misaligned;
  // Ranks of unlike shape (a root) need no equal places: each works in its own memory.
  buffers.stride = (most + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
  const std::size_t rotation = engine_->rotation_bytes();
  if (rotation > 0 && buffers.stride > 0)
    buffers.places = std::max<std::uint64_t>(1, rotation / buffers.stride);
  const std::size_t all = buffers.places * std::max<std::size_t>(buffers.stride, 1);
  // One place only: no more memory than is needed, which matters at the largest sizes.
  const auto take = [&](int index, std::size_t bytes) {
    return static_cast<std::byte*>(
        engine_->buffer(index, buffers.places > 1 ? all : bytes + buffers.misaligned));
  };
  if (!operation.in_place) {
    buffers.send = take(0, send_bytes);
    buffers.recv = take(1, recv_bytes);
  } else if (result_in_send(operation.kind)) {
    buffers.send = take(0, std::max(send_bytes, recv_bytes));
    buffers.recv = buffers.send + offset;
  } else {
    buffers.recv = take(1, std::max(send_bytes, recv_bytes));
    buffers.send = buffers.recv + offset;
  }
  return buffers;
}

Call RankSession::call_at(const Buffers& buffers, const Operation& operation, std::uint64_t number) const {
  const std::size_t at = number % buffers.places * buffers.stride + buffers.misaligned;
  return {operation, buffers.send + at, buffers.recv + at};
}

void RankSession::run(const Buffers& buffers, const Operation& operation, std::uint32_t operations) {
  if (operations == 1) {
    engine_->enqueue(call_at(buffers, operation, calls_++));
    return;
  }
  batch_.clear();
  if (engine_->replays_batches()) calls_ = 0;  // a recorded batch has its places in it
  for (std::uint32_t n = 0; n < operations; ++n) batch_.push_back(call_at(buffers, operation, calls_++));
  engine_->enqueue_all(batch_);
}

RankOutcome RankSession::measure(const MeasureSpec& spec) {
  const Operation& operation = spec.operation;
  check_operation(operation, ranks_);
  mark(RankPhase::kFilling, spec.trial.block);
  const Buffers buffers = take_buffers(operation);
  const Pattern pattern{operation, ranks_, seed_};
  // Also where nothing is checked: pages are touched and numbers are sane before the clock runs.
  if (!filled_ || !same_shape(*filled_, operation))
    for (std::uint64_t place = 0; place < std::min(buffers.places, kFilledPlaces); ++place)
      engine_->prepare(pattern, rank_, spec.trial.first_iteration, call_at(buffers, operation, place));
  filled_ = operation;

  RankOutcome outcome;
  Checks checks;
  TrialHooks hooks;
  hooks.timeline = engine_->timeline();
  hooks.run = [&](std::uint64_t, std::uint32_t operations) {
    run(buffers, operation, operations);
    if (hooks.timeline == nullptr) engine_->synchronize();
    outcome.operations += operations;
  };
  if (hooks.timeline != nullptr) hooks.wait = [&] { engine_->synchronize(); };
  if (spec.check) {
    hooks.prepare = [&](std::uint64_t iteration, std::uint32_t operations, std::uint32_t batch) {
      const bool replays = batch > 1 && engine_->replays_batches();
      const std::uint64_t number = replays ? batch - 1 : calls_ + operations - 1;
      engine_->prepare(pattern, rank_, iteration, call_at(buffers, operation, number));
    };
    hooks.verify = [&](std::uint64_t iteration) {
      checks.add(iteration,
                 engine_->verify(pattern, rank_, iteration, call_at(buffers, operation, calls_ - 1)));
    };
  }
  const TransportCounters before = engine_->counters();
  TrialSpec trial = spec.trial;
  trial.repeatable = !(operation.in_place && reduces(operation.kind));
  sleep_until(spec.start_at_ns, board_);
  outcome.samples = run_trial(all_, trial, hooks);
  // A sender is done before its last bytes are on their way; all are once every receiver is done, too.
  all_.barrier();
  outcome.counters = difference(engine_->counters(), before);
  outcome.rank = rank_;
  outcome.algorithm = engine_->algorithm_of(operation);
  outcome.protocol = engine_->protocol_of(operation);
  outcome.paths = engine_->paths();
  outcome.checks = checks.count();
  outcome.wrong = checks.wrong();
  if (spec.release) {
    // Nobody may still be reading a peer's memory when its pages go.
    all_.barrier();
    engine_->release_buffers();
    filled_.reset();
  }
  mark(RankPhase::kIdle, spec.trial.block);
  return outcome;
}

}  // namespace collbench::agent
