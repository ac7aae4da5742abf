#pragma once
// Ranks as processes, each with the plugin opened as NCCL opens it: by name of its table. What they must know
// of each other goes through shared memory, as NCCL's bootstrap would carry it.
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "net_plugin/gin/nccl_gin.h"

namespace gin_test {

using namespace collbench::nccl;  // NOLINT(google-build-using-namespace): tests of these names
constexpr int kMostRanks = 4;

struct Shared {
  std::atomic<int> arrived{0};
  char handles[kMostRanks][kHandleBytes];
  char trouble[kMostRanks][256];
};

inline void must(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}
inline void must(Result result, const char* what) {
  must(result == kSuccess, std::string(what) + " failed with " + std::to_string(result));
}

/// One rank's end of a group.
class Rank {
 public:
  Rank(Shared& shared_memory, int own, int all, int version) : shared(shared_memory), rank(own), ranks(all) {
    void* library = dlopen(COLLBENCH_NET_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    must(library != nullptr, "dlopen");
    if (version == 11) table_ = *static_cast<const GinV11*>(dlsym(library, "ncclGinPlugin_v11"));
    if (version == 13) v13_ = static_cast<const GinV13*>(dlsym(library, "ncclGinPlugin_v13"));
    if (v13_ != nullptr) take_common();
    counters_ = reinterpret_cast<void (*)(unsigned long long*)>(dlsym(library, "collbenchNetCounters"));
    must(table_.init(&context_, 1, nullptr), "init");
  }
  ~Rank() { close(); }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void connect() {
    void* listener = nullptr;
    must(table_.listen(context_, 0, shared.handles[rank], &listener), "listen");
    meet();
    void* handles[kMostRanks];
    for (int r = 0; r < ranks; ++r) handles[r] = shared.handles[r];
    must(table_.connect(nullptr, handles, ranks, rank, listener, &group_), "connect");
    must(table_.closeListen(listener), "closeListen");
    if (v13_ != nullptr) {
      GinConfigV13 config{4, 4, 2, 0, -1};
      must(v13_->createContext(group_, &config, &puts_, nullptr), "createContext");
    }
    meet();  // the handles may be written again
  }
  void close() {
    if (group_ != nullptr) table_.closeColl(group_);
    if (context_ != nullptr) table_.finalize(context_);
    group_ = context_ = nullptr;
  }
  /// All ranks are here.
  void meet() {
    const int round = ++rounds_;
    ++shared.arrived;
    while (shared.arrived.load() < round * ranks) {
      if (group_ != nullptr) progress();
      sched_yield();
    }
  }
  void* add(void* data, std::size_t bytes, int type = kPtrHost) {
    void *memory = nullptr, *gpu = nullptr;
    must(table_.regMrSym(group_, data, bytes, type, 0, &memory, &gpu), "regMrSym");
    must(memory == gpu && memory != nullptr, "mhandle and ginHandle are not the same");
    return memory;
  }
  void remove(void* memory) { must(table_.deregMrSym(group_, memory), "deregMrSym"); }
  Result put(std::size_t source_offset, void* source, std::size_t bytes, std::size_t target_offset,
             void* target, int peer, void** request) {
    const auto to = static_cast<std::uint32_t>(peer);
    return v13_ == nullptr
               ? table_.iput(group_, source_offset, source, bytes, target_offset, target, to, request)
               : v13_->iput(puts_, 1, source_offset, source, bytes, target_offset, target, to, request);
  }
  Result put_signal(std::size_t source_offset, void* source, std::size_t bytes, std::size_t target_offset,
                    void* target, int peer, std::size_t signal_offset, void* signal, std::uint64_t value,
                    std::uint32_t op, void** request) {
    const auto to = static_cast<std::uint32_t>(peer);
    return v13_ == nullptr ? table_.iputSignal(group_, source_offset, source, bytes, target_offset, target,
                                               to, signal_offset, signal, value, op, request)
                           : v13_->iputSignal(puts_, 0, source_offset, source, bytes, target_offset, target,
                                              to, signal_offset, signal, value, op, request);
  }
  /// Any result: NCCL looks at none of it.
  void progress() { table_.ginProgress(v13_ != nullptr ? puts_ : group_); }
  bool test(void* request) {
    int done = 0;
    table_.test(group_, request, &done);
    return done != 0;
  }
  void finish(void* request) {
    for (; !test(request); sched_yield()) progress();
  }
  void await(const std::uint64_t& word, std::uint64_t value) {
    for (; __atomic_load_n(&word, __ATOMIC_ACQUIRE) < value; sched_yield()) progress();
    must(word == value, "a signal went beyond its value");
  }
  bool has_error() {
    bool error = false;
    table_.queryLastError(group_, &error);
    return error;
  }
  [[nodiscard]] unsigned long long bytes_sent() const {
    unsigned long long four[4];
    counters_(four);
    return four[0];
  }

  template <typename Properties>
  Properties properties() {
    Properties found{};
    if constexpr (std::is_same_v<Properties, PropertiesV12>)
      must(v13_->getProperties(0, &found), "getProperties");
    else
      must(table_.getProperties(0, &found), "getProperties");
    return found;
  }

  Shared& shared;
  const int rank, ranks;

 private:
  void take_common() {
    table_ = {v13_->name,           v13_->init,        v13_->devices,        nullptr,       v13_->listen,
              v13_->connect,        nullptr,           v13_->regMrSym,       nullptr,       v13_->deregMrSym,
              v13_->destroyContext, v13_->closeColl,   v13_->closeListen,    nullptr,       nullptr,
              v13_->test,           v13_->ginProgress, v13_->queryLastError, v13_->finalize};
  }
  GinV11 table_{};
  const GinV13* v13_ = nullptr;
  void (*counters_)(unsigned long long*) = nullptr;
  void *context_ = nullptr, *group_ = nullptr, *puts_ = nullptr;
  int rounds_ = 0;
};

enum class Start { kConnected, kByBody };

/// Runs `body` as each rank, a process each; the troubles of all, "" when there were none.
inline std::string run(int ranks, int version, const std::string& fault,
                       const std::function<void(Rank&)>& body, Start start = Start::kConnected) {
  static int count = 0;
  const std::string token = std::to_string(getpid()) + "-gin-" + std::to_string(++count);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(memory != MAP_FAILED, "mmap");
  auto* shared = new (memory) Shared{};
  std::vector<pid_t> children;
  for (int r = 0; r < ranks; ++r) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("COLLBENCH_SISCI_LIBRARY", "softntb", 1);
      setenv("COLLBENCH_SISCI_TOKEN", token.c_str(), 1);
      setenv("COLLBENCH_SISCI_ADAPTER", std::to_string(r).c_str(), 1);
      setenv("COLLBENCH_SISCI_FAULT", fault.c_str(), 1);
      try {
        Rank rank(*shared, r, ranks, version);
        if (start == Start::kConnected) rank.connect();
        body(rank);
      } catch (const std::exception& error) {
        std::strncpy(shared->trouble[r], error.what(), sizeof shared->trouble[r] - 1);
        _exit(1);  // peers see the connection end
      }
      _exit(0);
    }
    children.push_back(child);
  }
  std::string troubles;
  for (int r = 0; r < ranks; ++r) {
    int status = 0;
    waitpid(children[static_cast<std::size_t>(r)], &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    troubles +=
        "rank " + std::to_string(r) + ": " +
        (shared->trouble[r][0] != '\0' ? shared->trouble[r] : "ended with " + std::to_string(status)) + "; ";
  }
  munmap(memory, sizeof(Shared));
  return troubles;
}

}  // namespace gin_test
