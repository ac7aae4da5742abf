#include "agent/load.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "beside/share.h"
#include "core/clock.h"
#include "core/error.h"

namespace collbench::agent {
namespace {

constexpr std::int64_t kRampNs = 3'000'000;    // until all workers run
constexpr std::int64_t kAloneNs = 25'000'000;  // several turns of cores that are shared

const beside::Kind& kind_of(const EngineEntry& engine, const std::string& name) {
  std::string has;
  for (const beside::Kind& kind : engine.loads) {
    if (kind.name == name) return kind;
    has += (has.empty() ? "" : ", ") + std::string(kind.name);
  }
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

Load::Load(const EngineEntry& engine, const std::string& word, const beside::Context& context) {
  const std::size_t colon = word.find(':');
  const beside::Kind& kind = kind_of(engine, word.substr(0, colon));
  beside::Context own = context;
  if (colon != std::string::npos) own.amount = amount_in(word, colon);
  workers_ = std::make_unique<beside::Workers>(kind.create(own),
                                               engine.has_threads ? std::vector<int>() : own.cores);
}

void Load::begin(Assembly& all, const std::function<void(std::int64_t)>& sleep_until) {
  outcome_ = {};
  outcome_.workers = static_cast<int>(workers_->size());
  moved_before_ = workers_->moved();
  all.barrier();
  workers_->start();
  sleep_until(now_ns() + kRampNs);
  const beside::Workers::Done from = workers_->done();
  const std::int64_t from_ns = now_ns();
  sleep_until(from_ns + kAloneNs);
  outcome_.alone_units = workers_->done().untimed - from.untimed;
  outcome_.alone_ns = now_ns() - from_ns;
  workers_->stop();
  all.barrier();
  before_ = workers_->done();
  workers_->start();
}

LoadOutcome Load::end(Assembly& all, const TrialSamples& samples) {
  all.barrier();
  workers_->stop();
  outcome_.timed_units = workers_->done().timed - before_.timed;
  outcome_.timed_ns = samples.timed_ns;
  const beside::Work::Moved moved = workers_->moved();
  outcome_.moved = {moved.bytes_sent - moved_before_.bytes_sent,
                    moved.bytes_received - moved_before_.bytes_received,
                    moved.messages_sent - moved_before_.messages_sent,
                    moved.messages_received - moved_before_.messages_received};
  return outcome_;
}

std::vector<int> cores_of_load(Board& board, int board_index, bool has_process, bool stays_bound) {
  if (stays_bound) return beside::cores_of_thread(0);
  // The process that started this one is bound to no core, nor is the first thread of one that holds all
  // ranks.
  std::vector<int> allowed = beside::cores_of_thread(has_process ? getppid() : getpid());
  if (allowed.empty()) allowed = beside::cores_of_thread(0);
  std::vector<std::optional<int>> own;
  for (int rank = 0; rank < board.ranks; ++rank) {
    const std::int32_t core = board.progress(rank)->core.load();
    own.push_back(core < 0 ? std::nullopt : std::optional<int>(core));
  }
  return beside::cores_of_share(allowed, own, static_cast<std::size_t>(board_index));
}

}  // namespace collbench::agent
