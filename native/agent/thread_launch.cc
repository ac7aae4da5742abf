#include "agent/thread_launch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "agent/blame.h"
#include "agent/cores.h"
#include "agent/forensics/forensics.h"
#include "agent/progress_watch.h"
#include "core/clock.h"
#include "core/error.h"
#include "engines/local_bootstrap.h"
#include "metrics/inventory.h"

namespace collbench::agent {
namespace {

constexpr std::chrono::seconds kGrace(3);  // Time for cancelled ranks to end.

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

void* zeroed_board_memory(int ranks) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = (shared_state_bytes(ranks) + kLine - 1) / kLine * kLine;
  void* memory = std::aligned_alloc(kLine, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::fill_n(static_cast<std::byte*>(memory), bytes, std::byte{0});
  return memory;
}

}  // namespace

struct ThreadLaunch::LaunchState {
  LaunchState(const LaunchRequest& launch_request, std::span<const EngineEntry> known_engines, Emit emit_line)
      : request(launch_request),
        engines(known_engines),
        emit(std::move(emit_line)),
        cores(choose_cores(find_engine(engines, request.engine), request.settings,
                           static_cast<std::size_t>(request.ranks), request.turn)),
        memory(zeroed_board_memory(request.ranks)),
        shared_state(make_shared_state(memory.get(), request.ranks)),
        rendezvous(request.ranks),
        ready(static_cast<std::size_t>(request.ranks)),
        outcomes(static_cast<std::size_t>(request.ranks)) {}

  const LaunchRequest request;
  const std::span<const EngineEntry> engines;
  const Emit emit;
  const std::optional<std::vector<int>> cores;
  const std::unique_ptr<void, FreeMemory> memory;
  SharedState* const shared_state;
  LocalRendezvous rendezvous;
  const std::int64_t started_ns = now_ns();

  mutable std::mutex mutex;
  std::condition_variable changed;
  int left = 0;  // Ranks whose threads have ended.
  std::vector<ReadyRank> ready;
  int connected = 0;
  std::optional<MeasureRequest> block;  // Block that is being measured.
  std::optional<ProgressWatch> block_watch;
  std::uint64_t blocks_given = 0;
  std::vector<std::string> outcomes;
  int measured = 0;
  std::map<std::string, std::uint64_t> received_before;
  bool leaving = false;
  bool ended = false;    // The last message is made; no thread may make another one.
  bool is_over = false;  // The last message was sent.
  std::optional<LaunchFailure> failure;

  /// Makes all ranks stop: sets the abort flag, so that every wait of a rank throws. The caller must hold the
  /// mutex. @param reason text of the errors that ranks which still connect then throw
  void leave(const std::string& reason) {
    leaving = true;
    shared_state->abort.store(1);
    rendezvous.fail(reason);
    changed.notify_all();
  }

  std::vector<RankReport> reports() const {
    std::vector<RankReport> all;
    for (int r = 0; r < request.ranks; ++r) {
      const RankProgress& progress = *shared_state->progress(r);
      const std::int64_t since = progress.changed_ns.load();
      all.push_back({r,
                     getpid(),
                     progress.phase.load() != RankPhase::kFinished,
                     name_of(progress.phase.load()),
                     progress.block.load(),
                     progress.iterations_done.load(),
                     now_ns() - (since > 0 ? since : started_ns),
                     {},
                     {}});
    }
    return all;
  }

  /// Returns whether the ranks still connect, measure a block or wait for the next block. The caller must
  /// hold the mutex.
  LaunchActivity activity() const {
    if (connected < request.ranks) return LaunchActivity::kConnecting;
    return block ? LaunchActivity::kMeasuring : LaunchActivity::kIdle;
  }

  /// Returns the CLOCK_MONOTONIC time in ns at which look() must be called: the deadline for connecting, or a
  /// check of the current block; INT64_MAX = never, as no block is measured. The caller must hold the mutex.
  std::int64_t due_ns() const {
    if (connected < request.ranks) return started_ns + request.deadline_ns;
    return block ? block_watch->due_ns() : INT64_MAX;
  }

  /// Ends the launch as failed if the ranks have not connected by the launch's deadline, or if no rank has
  /// made progress for as long as the block's deadline. Called by the watching thread, which holds the mutex.
  void look() {
    const std::int64_t now = now_ns();
    if (now < due_ns()) return;
    std::vector<RankReport> ranks = reports();
    std::int64_t deadline_ns = request.deadline_ns;
    if (block) {
      if (block_watch->look(ranks, now) != ProgressWatch::Finding::kHang) return;
      deadline_ns = block->deadline_ns;
    }
    std::vector<std::pair<std::uint64_t, std::int64_t>> progress;
    for (const RankReport& rank : ranks) progress.emplace_back(rank.block, rank.iterations_done);
    const auto culprit = block ? likely_culprit(ranks, "", progress) : std::nullopt;
    LaunchFailure hang = failure_of(FailureKind::kHang, error_code_name(ErrorCode::kTimeout), "");
    hang.phase = block ? ranks[culprit.value_or(0)].phase : "connecting";
    const std::string time = format_seconds(deadline_ns);
    if (culprit) hang.rank = static_cast<int>(*culprit);
    hang.reason = culprit
                      ? "it stopped answering in operation " +
                            std::to_string(ranks[*culprit].iterations_done + 1) + " (deadline " + time + ")"
                  : block ? "no rank made progress for " + time
                          : "the ranks did not connect within " + time;
    hang.ranks = std::move(ranks);
    const std::string reason = hang.reason;
    failure = std::move(hang);
    leave(reason);
  }

  /// Sends the last message of the launch, `failed` if there was a failure, otherwise `stopped`. Later calls
  /// do nothing. @param lock holds the mutex, which is released while sending
  void end(std::unique_lock<std::mutex>& lock) {
    if (std::exchange(ended, true)) return;
    const std::string line = failure ? to_line(*failure) : to_line(StoppedEvent{request.launch});
    lock.unlock();
    emit(line);
    lock.lock();
    is_over = true;
    changed.notify_all();
  }

  /// Returns the failure of the launch as it is now. The caller must hold the mutex.
  LaunchFailure failure_of(FailureKind kind, const std::string& code, const std::string& reason) const {
    LaunchFailure now;
    now.launch = request.launch;
    now.kind = kind;
    now.code = code;
    now.phase = connected < request.ranks ? "connecting" : "running";
    now.activity = activity();
    now.reason = reason;
    now.ranks = reports();
    return now;
  }

  void rank_failed(int rank, const std::string& code, const std::string& text) {
    const std::lock_guard lock(mutex);
    const bool explains =
        !failure || (failure->kind == FailureKind::kRankError && is_consequence(failure->code));
    if (!(leaving && !failure) && explains && !(failure && is_consequence(code))) {
      const bool connecting = connected < request.ranks;
      failure = failure_of(connecting ? FailureKind::kSetup : FailureKind::kRankError, code, text);
      failure->rank = rank;
      if (!connecting) failure->phase = name_of(shared_state->progress(rank)->phase.load());
    }
    leave("rank " + std::to_string(rank) + " failed: " + text);
  }

  void rank_left(int rank) {
    std::unique_lock lock(mutex);
    shared_state->progress(rank)->phase.store(RankPhase::kFinished);
    if (++left == request.ranks) end(lock);
    changed.notify_all();
  }
};

void ThreadLaunch::serve(const std::shared_ptr<LaunchState>& shared, int rank) {
  LaunchState& s = *shared;
  const auto index = static_cast<std::size_t>(rank);
  if (s.cores) bind_to_core((*s.cores)[index]);
  LocalBootstrap bootstrap(s.rendezvous, rank);
  RankOptions options;
  options.engine = s.request.engine;
  options.seed = s.request.seed;
  options.engine_options.transport = s.request.transport;
  options.engine_options.transport_options = s.request.options;
  options.engine_options.algorithm = s.request.algorithm.value_or("");
  options.engine_options.settings = s.request.settings;
  RankSession session(bootstrap, *s.shared_state, rank, options, s.engines);
  std::unique_lock lock(s.mutex);
  s.ready[index] = {rank,
                    getpid(),
                    s.cores ? std::optional((*s.cores)[index]) : std::nullopt,
                    session.ready(),
                    metrics::allowed_cpus(gettid()),
                    metrics::memory_policy(gettid()),
                    metrics::cores_among(metrics::allowed_cpus(gettid()))};
  if (++s.connected == s.request.ranks && !s.leaving)
    s.emit(to_line(ReadyEvent{s.request.launch, now_ns() - s.started_ns, s.ready}));
  for (std::uint64_t seen = 0;;) {
    s.changed.wait(lock, [&] { return s.leaving || s.blocks_given > seen; });
    if (s.leaving) return;
    seen = s.blocks_given;
    const MeasureRequest block = *s.block;
    lock.unlock();
    std::string outcome = outcome_json(session.measure(block.spec));
    lock.lock();
    s.outcomes[index] = std::move(outcome);
    if (++s.measured < s.request.ranks || s.leaving) continue;
    std::map<std::string, std::uint64_t> bytes = metrics::read_received_bytes();
    for (auto& [name, value] : bytes) {
      const auto before = s.received_before.find(name);
      value -= before == s.received_before.end() ? value : std::min(before->second, value);
    }
    s.block.reset();
    s.emit(measured_line(s.request.launch, block.spec.trial.block, s.outcomes, bytes));
  }
}

ThreadLaunch::ThreadLaunch(const LaunchRequest& request, std::span<const EngineEntry> engines, Emit emit)
    : shared_(std::make_shared<LaunchState>(request, engines, std::move(emit))) {
  if (static_cast<int>(request.local_ranks.size()) != request.ranks)
    throw Error(ErrorCode::kInvalidArgument, "in-process launches hold all ranks: localRanks must name all " +
                                                 std::to_string(request.ranks) + ", it names " +
                                                 std::to_string(request.local_ranks.size()));
  for (int rank = 0; rank < request.ranks; ++rank)
    std::thread([shared = shared_, rank] {
      try {
        serve(shared, rank);
      } catch (const Error& error) {
        shared->rank_failed(rank, error_code_name(error.code()), error.what());
      } catch (const std::exception& error) {
        shared->rank_failed(rank, error_code_name(ErrorCode::kInternal), error.what());
      }
      shared->rank_left(rank);
      // Detached: rank_left counts the threads, and a rank that never returns must not block the process.
    }).detach();
  std::thread([shared = shared_] { watch(shared); }).detach();
}

void ThreadLaunch::watch(const std::shared_ptr<LaunchState>& shared) {
  LaunchState& s = *shared;
  std::unique_lock lock(s.mutex);
  while (!s.leaving) {
    const std::int64_t due_ns = s.due_ns();
    if (due_ns == INT64_MAX)
      s.changed.wait(lock);
    else
      s.changed.wait_for(lock, std::chrono::nanoseconds(std::max<std::int64_t>(0, due_ns - now_ns())));
    if (!s.leaving) s.look();
  }
  if (s.changed.wait_for(lock, kGrace, [&] { return s.ended; })) return;
  const std::string stuck = "a rank thread did not end";
  if (!s.failure) {
    s.failure = s.failure_of(FailureKind::kHang, error_code_name(ErrorCode::kTimeout), "");
    s.failure->phase = "stopping";
  }
  std::string& reason = s.failure->reason;
  reason += (reason.empty() ? "" : "; ") + stuck;
  s.end(lock);
}

ThreadLaunch::~ThreadLaunch() {
  std::unique_lock lock(shared_->mutex);
  shared_->leave("the launch is being closed");
  // No thread uses `emit` afterwards, so the caller may destroy what it needs.
  shared_->changed.wait(lock, [&] { return shared_->is_over; });
}

void ThreadLaunch::measure(const MeasureRequest& request) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->leaving) return;  // The final message is on its way already.
  if (shared_->connected < shared_->request.ranks || shared_->block)
    throw Error(ErrorCode::kProtocol, "measure came while launch " + std::to_string(shared_->request.launch) +
                                          (shared_->block ? " was measuring" : " was connecting"));
  shared_->received_before = metrics::read_received_bytes();
  shared_->block = request;
  shared_->block_watch.emplace(now_ns(), request.deadline_ns);
  shared_->measured = 0;
  ++shared_->blocks_given;
  shared_->changed.notify_all();
}

void ThreadLaunch::stop() {
  const std::lock_guard lock(shared_->mutex);
  shared_->leave("stopped");
}

void ThreadLaunch::abort(FailureKind kind, const std::string& code, const std::string& message) {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->failure && !shared_->leaving) shared_->failure = shared_->failure_of(kind, code, message);
  shared_->leave(message);
}

}  // namespace collbench::agent
