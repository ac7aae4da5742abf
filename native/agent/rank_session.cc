#include "agent/rank_session.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "agent/cores.h"
#include "agent/link_hosts.h"
#include "agent/verification_totals.h"
#include "concurrent_load/core_share.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"
#include "transports/counters.h"
#include "workloads/registry.h"

namespace collbench::agent {
namespace {

/// Name of the setting with the delay of ranks, such as "250us:2". The setting is not passed to the engine.
constexpr const char* kSkewSetting = "skew";

/// Sleeps until this CLOCK_MONOTONIC time in ns. @throws Error(kCancelled) if the abort flag is set before
void sleep_until(std::int64_t instant_ns, const SharedState& shared_state) {
  constexpr std::int64_t kLongestNap = 20'000'000;
  for (std::int64_t now = now_ns(); now < instant_ns; now = now_ns()) {
    if (shared_state.abort.load(std::memory_order_relaxed) != 0)
      throw Error(ErrorCode::kCancelled, "stopped before the common start: the run is being ended");
    const std::int64_t until = std::min(instant_ns, now + kLongestNap);
    const timespec at{until / 1'000'000'000, until % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

}  // namespace

RankSession::RankSession(Bootstrap& bootstrap, SharedState& shared_state, int local_index,
                         const RankOptions& options, std::span<const EngineEntry> engines)
    : shared_state_(shared_state),
      local_index_(local_index),
      rank_(bootstrap.rank()),
      ranks_(bootstrap.size()),
      group_(shared_state, local_index),
      seed_(options.seed),
      has_process_(options.has_process),
      entry_(find_engine(engines, options.engine)) {
  RankProgress& progress = *shared_state_.progress(local_index_);
  progress.pid.store(static_cast<std::int32_t>(getpid()));
  mark(RankPhase::kConnecting, 0);
  if (entry_ == nullptr)
    throw Error(ErrorCode::kInvalidArgument, "engine '" + options.engine + "' is not part of this build");
  EngineOptions engine_options = options.engine_options;
  engine_options.spins = shared_state_.spins;
  if (ranks_ != shared_state_.ranks) {
    engine_options.transport_options.spans_hosts = true;
    LinkedHosts linked = link_hosts(bootstrap, shared_state_, local_index_, engine_options.transport_options);
    link_ = std::move(linked.link);
    group_.span(link_.get());
    engine_options.spins = linked.spins;
    unbound_ = linked.shares_cores && !options.stays_bound;
    if (unbound_) unbind_from_core();
  }
  engine_options.transport_options.rank = rank_;
  engine_options.transport_options.ranks = ranks_;
  engine_options.local_rank = local_index_;
  engine_options.local_ranks = shared_state_.ranks;
  engine_options.note_worker = [&progress](int pid, Rendezvous rendezvous) {
    progress.worker.store(pid);
    progress.rendezvous.store(rendezvous);
  };
  engine_options.cancelled = [&shared_state] {
    return shared_state.abort.load(std::memory_order_relaxed) != 0;
  };
  const auto word = engine_options.settings.extract(kConcurrentLoadSetting);
  if (const auto skew = engine_options.settings.extract(kSkewSetting); !skew.empty())
    skew_ = parse_arrival_skew(skew.mapped(), ranks_);
  const std::vector<int> cores = concurrent_load::cores_of_thread(0);
  if (cores.size() == 1) progress.core.store(cores.front());
  engine_ = entry_->create(bootstrap, engine_options);
  if (!word.empty()) make_load(bootstrap, word.mapped(), engine_options, options.stays_bound);
  mark(RankPhase::kIdle, 0);
}

void RankSession::make_load(Bootstrap& bootstrap, const std::string& word, const EngineOptions& options,
                            bool stays_bound) {
  concurrent_load::LoadContext context;
  context.rank = rank_;
  context.ranks = ranks_;
  context.exchange = [&](std::string_view key, const std::string& mine) {
    return bootstrap.all_gather(key, mine);
  };
  context.exchange("cores", "");  // All ranks have recorded their cores after this exchange.
  context.cores = cores_of_load(shared_state_, local_index_, has_process_, stays_bound);
  context.spins = spins_for(2 * shared_state_.ranks);
  context.transport = options.transport;
  context.options = &options.transport_options;
  context.cancelled = options.cancelled;
  load_ = std::make_unique<ConcurrentLoad>(*entry_, word, context);
}

RankReady RankSession::ready() const {
  const DeviceProperties device = engine_->device();
  return {device.name, device.detail, device.medium, engine_->facts(), unbound_};
}

void RankSession::mark(RankPhase phase, std::uint64_t block) {
  RankProgress& progress = *shared_state_.progress(local_index_);
  progress.block.store(block, std::memory_order_relaxed);
  progress.changed_ns.store(now_ns(), std::memory_order_relaxed);
  progress.phase.store(phase, std::memory_order_release);
}

Workload& RankSession::workload_of(const MeasureSpec& spec) {
  if (!workload_ || request_ != spec.workload) {
    workload_.reset();  // Destroyed before its buffers may move.
    workload_ = create_workload(*entry_, spec.workload,
                                {*engine_, rank_, ranks_, seed_, spec.trial.first_iteration, units_done_});
    request_ = spec.workload;
  }
  return *workload_;
}

metrics::SocketBytes RankSession::read_own_sockets() const {
  return has_process_ ? metrics::read_socket_bytes() : std::nullopt;
}

RankOutcome RankSession::measure(const MeasureSpec& spec) {
  // Counts of the previous block would be misleading.
  shared_state_.progress(local_index_)->iterations_done.store(0);
  mark(RankPhase::kFilling, spec.trial.block);
  Workload& workload = workload_of(spec);
  RankOutcome outcome;
  VerificationTotals checks;
  TrialHooks hooks;
  hooks.timeline = workload.timeline();
  const bool queues = hooks.timeline != nullptr || workload.queues();
  hooks.run = [&](std::uint64_t, std::uint32_t units) {
    if (load_) load_->check();
    workload.run(units);
    if (!queues) workload.wait();
    outcome.operations += units;
  };
  hooks.take_columns = [&](OperationColumns& columns) { workload.take_columns(columns); };
  if (queues) hooks.wait = [&] { workload.wait(); };
  if (skew_.time_ns > 0 && spec.trial.kind == TrialKind::kIsolated) {
    if (hooks.timeline != nullptr)
      throw Error(ErrorCode::kInvalidArgument,
                  "skew needs operations that the host starts; a device starts these");
    hooks.skew_ns = skew_.time_ns;
    hooks.delay_ns = [this](std::uint64_t iteration) {
      return skew_.delay_ns(seed_, iteration, rank_, ranks_);
    };
  }
  if (spec.check) {
    hooks.prepare = [&](std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) {
      return workload.prepare_more(iteration, units, batch, spec.trial.checks_all());
    };
    hooks.verify = [&](std::uint64_t iteration) { checks.add(iteration, workload.verify(iteration)); };
  }
  const TransportCounters before = engine_->counters();
  const metrics::SocketBytes sockets = read_own_sockets();
  sleep_until(spec.start_at_ns, shared_state_);
  if (load_) {
    load_->begin(group_, [&](std::int64_t instant_ns) { sleep_until(instant_ns, shared_state_); });
    hooks.timing = &load_->timing();
  }
  outcome.samples = run_trial(group_, spec.trial, hooks);
  if (load_) outcome.load = load_->end(group_, outcome.samples);
  // A sender may finish before its last bytes are sent; when every receiver is done too, all bytes have been
  // counted.
  group_.barrier();
  outcome.counters = engine_->counters() - before;
  outcome.sockets = metrics::received_between(sockets, read_own_sockets());
  if (engine_->counts_sockets()) outcome.sockets = {outcome.counters.bytes_received, 0};
  outcome.rank = rank_;
  outcome.choice = workload.choice();
  outcome.paths = engine_->paths();
  outcome.checks = checks.count();
  outcome.wrong = checks.wrong();
  units_done_ += outcome.operations;
  if (spec.release) {
    // No rank may still read a peer's memory when its pages are freed.
    group_.barrier();
    workload_.reset();
    engine_->release_buffers();
  }
  mark(RankPhase::kIdle, spec.trial.block);
  return outcome;
}

}  // namespace collbench::agent
