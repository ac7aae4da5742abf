#include "agent/load.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "concurrent_load/core_share.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/text.h"

namespace collbench::agent {
namespace {

constexpr std::int64_t kRampNs = 3'000'000;  // Time until all workers run.
// Time for which the load is measured alone: several time slices of shared cores.
constexpr std::int64_t kAloneNs = 25'000'000;

const concurrent_load::LoadKind& kind_of(const EngineEntry& engine, const std::string& name) {
  for (const concurrent_load::LoadKind& kind : engine.loads)
    if (kind.name == name) return kind;
  const std::string has = join(engine.loads, &concurrent_load::LoadKind::name);
  throw Error(ErrorCode::kInvalidArgument, "the " + std::string(engine.name) + " engine has no load '" +
                                               name + "'; " +
                                               (has.empty() ? "it has none" : "it has " + has));
}

int amount_in(const std::string& word, std::size_t colon) {
  int amount = 0;
  const char* end = word.data() + word.size();
  const auto [rest, problem] = std::from_chars(word.data() + colon + 1, end, amount);
  if (problem != std::errc() || rest != end)
    throw Error(ErrorCode::kInvalidArgument, "--beside " + word + ": the amount is no whole number");
  return amount;
}

}  // namespace

ConcurrentLoad::ConcurrentLoad(const EngineEntry& engine, const std::string& word,
                               const concurrent_load::LoadContext& context) {
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  const concurrent_load::LoadKind& kind = kind_of(engine, name);
  concurrent_load::LoadContext own = context;
  if (colon != std::string::npos) own.amount = amount_in(word, colon);
  workers_ = std::make_unique<concurrent_load::Workers>(kind.create(own),
                                                        engine.has_threads ? std::vector<int>() : own.cores);
}

void ConcurrentLoad::begin(RankGroup& group, const std::function<void(std::int64_t)>& sleep_until) {
  outcome_ = {};
  outcome_.workers = static_cast<int>(workers_->size());
  moved_before_ = workers_->moved();
  group.barrier();
  workers_->start();
  sleep_until(now_ns() + kRampNs);
  const concurrent_load::Workers::UnitCounts from = workers_->done();
  const std::int64_t from_ns = now_ns();
  sleep_until(from_ns + kAloneNs);
  outcome_.alone_units = workers_->done().untimed - from.untimed;
  outcome_.alone_ns = now_ns() - from_ns;
  workers_->stop();
  group.barrier();
  before_ = workers_->done();
  workers_->start();
}

LoadOutcome ConcurrentLoad::end(RankGroup& group, const TrialSamples& samples) {
  group.barrier();
  workers_->stop();
  outcome_.timed_units = workers_->done().timed - before_.timed;
  outcome_.timed_ns = samples.timed_ns;
  const concurrent_load::LoadTask::TransferCounts moved = workers_->moved();
  outcome_.moved = {moved.bytes_sent - moved_before_.bytes_sent,
                    moved.bytes_received - moved_before_.bytes_received,
                    moved.messages_sent - moved_before_.messages_sent,
                    moved.messages_received - moved_before_.messages_received};
  return outcome_;
}

std::vector<int> cores_of_load(SharedState& shared_state, int local_index, bool has_process,
                               bool stays_bound) {
  if (stays_bound) return concurrent_load::cores_of_thread(0);
  // The parent of a rank process is not bound to a core, nor is the first thread of a process that holds all
  // ranks.
  std::vector<int> allowed = concurrent_load::cores_of_thread(has_process ? getppid() : getpid());
  if (allowed.empty()) allowed = concurrent_load::cores_of_thread(0);
  std::vector<std::optional<int>> own;
  for (int rank = 0; rank < shared_state.ranks; ++rank) {
    const std::int32_t core = shared_state.progress(rank)->core.load();
    own.push_back(core < 0 ? std::nullopt : std::optional<int>(core));
  }
  return concurrent_load::cores_of_share(allowed, own, static_cast<std::size_t>(local_index));
}

}  // namespace collbench::agent
