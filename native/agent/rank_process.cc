#include "agent/rank_process.h"

#include <signal.h>
#include <sys/mman.h>

#include "agent/base64.h"
#include "agent/control_socket.h"
#include "agent/forensics/symbols.h"
#include "agent/protocol/protocol.h"
#include "agent/scheduling.h"
#include "agent/spawn.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"

namespace collbench::agent {
namespace {

class PipeBootstrap : public Bootstrap {
 public:
  PipeBootstrap(ControlSocket& control, int rank, int size) : control_(control), rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  std::vector<std::string> all_gather(std::string_view key, const std::string& mine) override {
    control_.send(to_line(RankExchange{std::string(key), base64_encode(mine)}));
    const auto message = control_.receive();
    if (!message || std::holds_alternative<StopRequest>(*message))
      throw Error(ErrorCode::kCancelled, "stopped while exchanging '" + std::string(key) + "'");
    const auto* exchanged = std::get_if<ExchangedMessage>(&*message);
    if (exchanged == nullptr || exchanged->key != key ||
        exchanged->data.size() != static_cast<std::size_t>(size_))
      throw Error(ErrorCode::kProtocol, "expected the answer to exchange '" + std::string(key) + "' of " +
                                            std::to_string(size_) + " ranks");
    std::vector<std::string> blobs;
    for (const std::string& one : exchanged->data) blobs.push_back(base64_decode(one));
    return blobs;
  }

 private:
  ControlSocket& control_;
  int rank_, size_;
};

SharedState& map_board(int ranks) {
  void* memory =
      mmap(nullptr, shared_state_bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, kSharedStateFd, 0);
  if (memory == MAP_FAILED)
    throw system_error(ErrorCode::kInternal, "mapping the board handed down by the agent", errno);
  return *static_cast<SharedState*>(memory);
}

int serve(ControlSocket& control, int rank, int local_index, std::span<const EngineEntry> engines,
          std::string& phase, std::int64_t& raised_ns) {
  const auto first = control.receive();
  if (!first) return kRankStopped;
  const auto* launch = std::get_if<LaunchRequest>(&*first);
  if (launch == nullptr) throw Error(ErrorCode::kProtocol, "the first message to a rank must be launch");
  exit_with_agent();
  // Both come before the engine starts threads, which inherit them.
  if (launch->high_priority) raise_priority();
  if (launch->leave_cpu_quota) leave_cpu_quota();
  SharedState& shared_state = map_board(static_cast<int>(launch->local_ranks.size()));
  PipeBootstrap bootstrap(control, rank, launch->ranks);
  RankOptions options;
  options.has_process = true;
  options.engine = launch->engine;
  options.seed = launch->seed;
  options.engine_options.transport = launch->transport;
  options.engine_options.transport_options = launch->options;
  options.engine_options.algorithm = launch->algorithm.value_or("");
  options.engine_options.settings = launch->settings;
  options.engine_options.log_fd = kEngineLogFd;
  options.stays_bound = launch->placements.has_value();
  phase = "connecting";
  RankSession session(bootstrap, shared_state, local_index, options, engines);
  control.send(to_line(RankIsReady{session.ready()}));
  phase = "measuring";
  while (const auto message = control.receive()) {
    if (std::holds_alternative<StopRequest>(*message)) break;
    const auto* measure = std::get_if<MeasureRequest>(&*message);
    if (measure == nullptr) throw Error(ErrorCode::kProtocol, "a connected rank takes only measure and stop");
    try {
      const RankOutcome outcome = session.measure(measure->spec);
      control.send(to_line(RankMeasured{measure->spec.trial.block, outcome_json(outcome)}));
    } catch (...) {
      // Taken before the session closes its connections, which the other ranks would report as their own
      // failure.
      raised_ns = now_ns();
      throw;
    }
  }
  shared_state.progress(local_index)->phase.store(RankPhase::kFinished);
  return kRankStopped;
}

}  // namespace

int run_rank(int rank, int local_index, std::span<const EngineEntry> engines) {
  signal(SIGPIPE, SIG_IGN);
  set_log_name("rank " + std::to_string(rank));
  install_stack_dump();
  install_crash_dump();
  ControlSocket control;
  std::string phase = "starting";
  std::string code = error_code_name(ErrorCode::kInternal), text;
  std::int64_t raised_ns = 0;
  try {
    return serve(control, rank, local_index, engines, phase, raised_ns);
  } catch (const Error& error) {
    code = error_code_name(error.code());
    text = error.what();
  } catch (const std::exception& error) {
    text = error.what();
  }
  if (raised_ns == 0) raised_ns = now_ns();
  try {
    control.send(to_line(RankFailed{code, phase, text, raised_ns}));
  } catch (const Error&) {
    // The agent is gone, so nobody can be told.
  }
  return kRankReported;
}

}  // namespace collbench::agent
