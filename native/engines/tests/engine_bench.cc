// Benchmark of the cpu engine's allreduce between forked ranks, for choosing the constants of tuning_of().
// usage: engine_bench [transport] [ranks] [algorithm or -] [sizes in bytes...]
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "collectives/pattern.h"
#include "core/error.h"
#include "engines/engine.h"
#include "measure/trial.h"

using namespace collbench;

namespace {

constexpr std::size_t kBlobBytes = 1 << 16;

/// Bootstrap that passes blobs through shared memory between barriers.
class SharedBootstrap final : public Bootstrap {
 public:
  SharedBootstrap(SharedState& shared_state, char* blobs, int rank)
      : shared_state_(shared_state), blobs_(blobs), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return shared_state_.ranks; }
  std::vector<std::string> all_gather(std::string_view, const std::string& mine) override {
    char* place = blobs_ + static_cast<std::size_t>(rank_) * kBlobBytes;
    const std::size_t n = mine.size();
    std::memcpy(place, &n, sizeof n);
    std::memcpy(place + sizeof n, mine.data(), n);
    pass_barrier(shared_state_);
    std::vector<std::string> all;
    for (int r = 0; r < shared_state_.ranks; ++r) {
      const char* from = blobs_ + static_cast<std::size_t>(r) * kBlobBytes;
      std::size_t bytes = 0;
      std::memcpy(&bytes, from, sizeof bytes);
      all.emplace_back(from + sizeof bytes, bytes);
    }
    pass_barrier(shared_state_);
    return all;
  }

 private:
  SharedState& shared_state_;
  char* blobs_;
  int rank_;
};

double median(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  return static_cast<double>(v[v.size() / 2]);
}

void measure(SharedState& shared_state, Engine& engine, int rank, std::size_t bytes) {
  Operation operation;
  operation.count = bytes / 4;
  const Pattern pattern{operation, shared_state.ranks, 1};
  void* send = engine.buffer(0, bytes);
  void* recv = engine.buffer(1, bytes);
  std::uint64_t wrong = 0;
  TrialHooks hooks{[&](std::uint64_t i, std::uint32_t, std::uint32_t) {
                     return prepare_buffers(pattern, rank, i, send, recv), true;
                   },
                   [&](std::uint64_t, std::uint32_t) { engine.enqueue({operation, send, recv}); },
                   [&](std::uint64_t i) { wrong += verify(pattern, rank, i, recv).wrong; },
                   {},
                   nullptr};
  TrialSpec spec;
  spec.warmup = 5;
  spec.max_samples = 1000;
  spec.target_ns = 100'000'000;
  spec.batch = 0;
  RankGroup group(shared_state, rank);
  const TrialSamples isolated = run_trial(group, spec, hooks);
  spec.kind = TrialKind::kPipelined;
  const TrialSamples pipelined = run_trial(group, spec, hooks);
  if (rank != 0) return;
  std::vector<std::int64_t> alone, interval;
  for (std::size_t i = 0; i < isolated.end_ns.size(); ++i)
    alone.push_back(isolated.end_ns[i] - isolated.common_start_ns[i]);
  for (std::size_t i = 0; i < pipelined.end_ns.size(); ++i)
    interval.push_back((pipelined.end_ns[i] - pipelined.start_ns[i]) / pipelined.batch);
  const double ns = median(interval);
  std::printf("%12zu %-6s isolated %12.0f ns  pipelined %12.0f ns (batch %u)  %6.2f GB/s  wrong %llu\n",
              bytes, engine.algorithm_of(operation).c_str(), median(alone), ns, pipelined.batch,
              static_cast<double>(bytes) / ns, static_cast<unsigned long long>(wrong));
  std::fflush(stdout);
}

int run_rank(SharedState& shared_state, char* blobs, int rank, const EngineOptions& options,
             const std::vector<std::size_t>& sizes) {
  try {
    SharedBootstrap bootstrap(shared_state, blobs, rank);
    const auto engine = find_engine(engines(), "cpu")->create(bootstrap, options);
    for (const std::size_t bytes : sizes) measure(shared_state, *engine, rank, bytes);
    pass_barrier(shared_state);
    return 0;
  } catch (const std::exception& e) {
    shared_state.abort = 1;
    std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 2;
  EngineOptions options;
  options.transport = argc > 1 ? argv[1] : "socket";
  options.transport_options.token = "00112233445566778899aabbccddeeff";
  options.transport_options.ranks = ranks;
  if (argc > 3 && std::strcmp(argv[3], "-") != 0) options.algorithm = argv[3];
  std::vector<std::size_t> sizes;
  for (int i = 4; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {8, 64, 512, 4096, 32768, 131072, 1048576, 8388608, 134217728};
  setenv("SOFTNTB_FABRIC", ("bench" + std::to_string(getpid())).c_str(), 0);
  const std::size_t bytes = shared_state_bytes(ranks) + 4096 + static_cast<std::size_t>(ranks) * kBlobBytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  SharedState* shared_state = make_shared_state(memory, ranks);
  char* blobs = static_cast<char*>(memory) + shared_state_bytes(ranks);
  for (int r = 0; r < ranks; ++r) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      options.transport_options.rank = r;
      options.cancelled = [shared_state] { return shared_state->abort.load() != 0; };
      _exit(run_rank(*shared_state, blobs, r, options, sizes));
    }
  }
  int failed = 0;
  int status = 0;
  while (wait(&status) > 0) failed |= status;
  return failed == 0 ? 0 : 1;
}
