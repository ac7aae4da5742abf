#include "agent/tests/mock_engine.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "core/spin.h"

namespace collbench::agent {
namespace {

struct Behaviour {
  std::string what;
  int rank = -1;
  int operation = 0;
};

Behaviour parse(const std::string& text) {
  Behaviour behaviour;
  const std::size_t first = text.find(':');
  if (first == std::string::npos) return behaviour;
  const std::size_t second = text.find(':', first + 1);
  behaviour.what = text.substr(0, first);
  behaviour.rank = std::atoi(text.c_str() + first + 1);
  if (second != std::string::npos) behaviour.operation = std::atoi(text.c_str() + second + 1);
  return behaviour;
}

class MockEngine : public Engine {
 public:
  MockEngine(Bootstrap& bootstrap, const EngineOptions& options)
      : behaviour_(parse(options.algorithm)),
        rank_(bootstrap.rank()),
        log_fd_(options.log_fd),
        cancelled_(options.cancelled) {
    if (behaviour_.what == "hang-setup" && behaviour_.rank == rank_) hang();
    const auto all = bootstrap.all_gather("mock", std::string("\0rank ", 6) + std::to_string(rank_));
    for (int r = 0; r < bootstrap.size(); ++r)
      if (all[static_cast<std::size_t>(r)] != std::string("\0rank ", 6) + std::to_string(r))
        throw Error(ErrorCode::kProtocol, "the exchange mixed up the ranks");
  }
  void* buffer(int index, std::size_t bytes) override {
    memory_[index].resize(bytes + 64);
    return memory_[index].data();
  }
  void release_buffers() override {
    for (auto& memory : memory_) std::vector<std::byte>().swap(memory);
  }
  void enqueue(const CollectiveCall& call) override {
    if (behaviour_.what == "slow" && behaviour_.rank == rank_)
      std::this_thread::sleep_for(std::chrono::milliseconds(behaviour_.operation));
    else if (behaviour_.rank == rank_ && done_ == behaviour_.operation)
      misbehave();
    ++done_;
    const std::size_t bytes = call.operation.count * size_of(call.operation.dtype);
    if (bytes > 0 && call.recv != call.send) std::memcpy(call.recv, call.send, bytes);
    counters_.bytes_sent += bytes;
    ++counters_.messages_sent;
  }
  void synchronize() override {}
  [[nodiscard]] std::string algorithm_of(const Operation&) const override { return "mock"; }
  [[nodiscard]] DeviceProperties device() const override {
    DeviceProperties device;
    device.name = "mock0";
    device.detail.local_path = LocalPath::kNothing;
    device.medium = Medium::kEmulated;
    return device;
  }
  [[nodiscard]] TransportCounters counters() const override { return counters_; }

 private:
  [[noreturn]] void hang() {
    for (;;) pause();
  }
  static void say(int fd, const std::string& text) {
    if (write(fd, text.data(), text.size()) < 0) _exit(8);
  }
  void misbehave() {
    if (behaviour_.what == "hang") hang();
    if (behaviour_.what == "wait")
      for (Spinner spinner(0); !cancelled_();) spinner.step();
    if (behaviour_.what.starts_with("talk")) {
      say(STDERR_FILENO, "mock says something\n");
      say(log_fd_, "mock logs something\n");
    }
    if (behaviour_.what == "talk-and-die") _exit(7);
    if (behaviour_.what == "babble")
      for (int i = 0; i < 10'000; ++i) say(STDERR_FILENO, std::string(99, '.') + "\n");
    if (behaviour_.what == "daemon" && fork() == 0) {
      setsid();
      hang();
    }
    if (behaviour_.what == "fail") throw Error(ErrorCode::kInternal, "mock failure");
    if (behaviour_.what == "lose") throw Error(ErrorCode::kConnectionLost, "mock link lost");
    if (behaviour_.what == "exit") _exit(7);
    if (behaviour_.what == "segv") {
      signal(SIGSEGV, SIG_DFL);  // A sanitizer would turn the signal into an exit.
      raise(SIGSEGV);
    }
  }
  Behaviour behaviour_;
  int rank_;
  int log_fd_;
  int done_ = 0;
  std::function<bool()> cancelled_;
  std::vector<std::byte> memory_[2];
  TransportCounters counters_;
};

std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return std::make_unique<MockEngine>(bootstrap, options);
}

}  // namespace

std::span<const EngineEntry> mock_engines() {
  static constexpr EngineEntry kMock[] = {
      {"mock", &create, [] { return Abilities{{Ability::kCollectives, {}}}; }}};
  return kMock;
}

}  // namespace collbench::agent
