#include "agent/rank_session.h"

#include <unistd.h>

#include <algorithm>

#include "collectives/pattern.h"
#include "core/clock.h"
#include "core/error.h"

namespace collbench::agent {
namespace {

bool same_shape(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.op == b.op && a.root == b.root &&
         a.in_place == b.in_place && a.count == b.count;
}

void check_operation(const Operation& operation, int ranks) {
  if (operation.root < 0 || operation.root >= ranks)
    throw Error(ErrorCode::kInvalidArgument, "root " + std::to_string(operation.root) +
                                                 " is no rank; there are 0 to " + std::to_string(ranks - 1));
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
      seed_(options.seed) {
  RankProgress& progress = *board_.progress(board_index_);
  progress.pid.store(static_cast<std::int32_t>(getpid()));
  mark(RankPhase::kConnecting, 0);
  const EngineEntry* entry = lookup(options.engine);
  if (entry == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "engine '" + options.engine + "' is not part of this build");
  EngineOptions engine_options = options.engine_options;
  engine_options.transport_options.rank = rank_;
  engine_options.transport_options.ranks = ranks_;
  engine_options.cancelled = [&board] { return board.abort.load(std::memory_order_relaxed) != 0; };
  engine_ = entry->create(bootstrap, engine_options);
  mark(RankPhase::kIdle, 0);
}

RankReady RankSession::ready() const {
  const DeviceProperties device = engine_->device();
  return {device.name, device.detail, device.medium};
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
  // NCCL's layout: reducescatter's result lies inside the send buffer, every other input inside the receive
  // buffer.
  const bool in_send = operation.kind == CollectiveKind::kReducescatter;
  Buffers buffers;
  const std::size_t send_bytes = shape.send_elements * element, recv_bytes = shape.recv_elements * element;
  if (!operation.in_place) {
    buffers.send = static_cast<std::byte*>(engine_->buffer(0, send_bytes));
    buffers.recv = static_cast<std::byte*>(engine_->buffer(1, recv_bytes));
  } else if (in_send) {
    buffers.send = static_cast<std::byte*>(engine_->buffer(0, send_bytes));
    buffers.recv = buffers.send + offset;
  } else {
    buffers.recv = static_cast<std::byte*>(engine_->buffer(1, std::max(recv_bytes, offset + send_bytes)));
    buffers.send = buffers.recv + offset;
  }
  return buffers;
}

RankOutcome RankSession::measure(const MeasureSpec& spec) {
  const Operation& operation = spec.operation;
  check_operation(operation, ranks_);
  mark(RankPhase::kFilling, spec.trial.block);
  const Buffers buffers = take_buffers(operation);
  const Pattern pattern{operation, ranks_, seed_};
  // Also where nothing is checked: pages are touched and numbers are sane before the clock runs.
  if (!filled_ || !same_shape(*filled_, operation))
    prepare_buffers(pattern, rank_, spec.trial.first_iteration, buffers.send, buffers.recv);
  filled_ = operation;

  RankOutcome outcome;
  Checks checks;
  const Call call{operation, buffers.send, buffers.recv};
  TrialHooks hooks;
  hooks.run = [&](std::uint64_t) {
    engine_->enqueue(call);
    engine_->synchronize();
    ++outcome.operations;
  };
  if (spec.check) {
    hooks.prepare = [&](std::uint64_t iteration) {
      prepare_buffers(pattern, rank_, iteration, buffers.send, buffers.recv);
    };
    hooks.verify = [&](std::uint64_t iteration) {
      checks.add(iteration, verify(pattern, rank_, iteration, buffers.recv));
    };
  }
  const TransportCounters before = engine_->counters();
  TrialSpec trial = spec.trial;
  trial.repeatable = !(operation.in_place && reduces(operation.kind));
  outcome.samples = run_trial(board_, board_index_, trial, hooks);
  outcome.counters = difference(engine_->counters(), before);
  outcome.rank = rank_;
  outcome.algorithm = engine_->algorithm_of(operation);
  outcome.checks = checks.count();
  outcome.wrong = checks.wrong();
  if (spec.release) {
    // Nobody may still be reading a peer's memory when its pages go.
    board_barrier(board_);
    engine_->release_buffers();
    filled_.reset();
  }
  mark(RankPhase::kIdle, spec.trial.block);
  return outcome;
}

}  // namespace collbench::agent
