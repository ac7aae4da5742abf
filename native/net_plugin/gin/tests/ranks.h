#pragma once
// Ranks as processes, each with the plugin opened as by NCCL: by the name of its table. Shared memory carries
// what NCCL's bootstrap would carry.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/spin.h"
#include "net_plugin/gin/nccl_gin.h"

namespace gin_test {

using namespace collbench::nccl;  // NOLINT(google-build-using-namespace): tests of these names
constexpr int kMaxRanks = 4;

struct GroupMemory {
  std::atomic<int> arrived{0};
  char handles[kMaxRanks][kHandleBytes];
  char failure[kMaxRanks][256];
};

inline void must(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}
inline void must(NcclResult result, const char* what) {
  must(result == kSuccess, std::string(what) + " failed with " + std::to_string(result));
}

/// Tables by the names that NCCL looks up.
enum class Table { kGin11, kGin13, kRma13, kRma14 };
using AnyTable = std::variant<const GinV11*, const GinV13*, const RmaV14*>;

inline AnyTable find_table(void* library, Table table) {
  const auto find = [&](auto* one, const char* name) {
    one = static_cast<decltype(one)>(dlsym(library, name));
    must(one != nullptr, name);
    return AnyTable(one);
  };
  if (table == Table::kGin11) return find(static_cast<const GinV11*>(nullptr), "ncclGinPlugin_v11");
  if (table == Table::kRma14) return find(static_cast<const RmaV14*>(nullptr), "ncclRmaPlugin_v14");
  return find(static_cast<const GinV13*>(nullptr),
              table == Table::kGin13 ? "ncclGinPlugin_v13" : "ncclRmaPlugin_v13");
}

/// One rank's end of a group. If the interface has contexts, there are two with two lanes each.
class GinRank {
 public:
  GinRank(GroupMemory& shared_memory, int own, int all, Table table)
      : shared(shared_memory),
        rank(own),
        ranks(all),
        library_(dlopen(COLLBENCH_NET_PLUGIN, RTLD_NOW | RTLD_LOCAL)) {
    must(library_ != nullptr, "dlopen");
    table_ = find_table(library_, table);
    counters_ = reinterpret_cast<void (*)(unsigned long long*)>(dlsym(library_, "collbenchNetCounters"));
    must(with([&](auto& t) { return t.init(&context_, 1, nullptr); }), "init");
  }
  ~GinRank() { close(); }
  GinRank(const GinRank&) = delete;
  GinRank& operator=(const GinRank&) = delete;

  void connect() {
    void* listener = nullptr;
    must(with([&](auto& t) { return t.listen(context_, 0, shared.handles[rank], &listener); }), "listen");
    meet();
    void* handles[kMaxRanks];
    for (int r = 0; r < ranks; ++r) handles[r] = shared.handles[r];
    must(with([&](auto& t) { return t.connect(nullptr, handles, ranks, rank, listener, &group_); }),
         "connect");
    must(with([&](auto& t) { return t.closeListen(listener); }), "closeListen");
    for (auto& one : puts_) must(with([&](auto& t) { return make_context(t, &one); }), "createContext");
    meet();  // the handles may be overwritten now
  }
  void close_context(int number) {
    void*& one = puts_[number];
    if (one == nullptr) return;
    must(with([&](auto& t) { return t.destroyContext(one); }), "destroyContext");
    one = nullptr;
  }
  void close() {
    if (group_ != nullptr) with([&](auto& t) { return t.closeColl(group_); });
    if (context_ != nullptr) with([&](auto& t) { return t.finalize(context_); });
    group_ = context_ = nullptr;
  }
  /// Waits until all ranks are here.
  void meet() {
    const int round = ++rounds_;
    ++shared.arrived;
    while (shared.arrived.load() < round * ranks) {
      if (group_ != nullptr) progress();
      collbench::yield_core();
    }
  }
  void* add(void* data, std::size_t bytes, int type = kPtrHost) {
    void *memory = nullptr, *gpu = nullptr;
    must(with([&](auto& t) {
           if constexpr (requires { t.rmaProgress; })
             return t.regMrSym(group_, data, bytes, type, 0, &memory);
           else
             return t.regMrSym(group_, data, bytes, type, 0, &memory, &gpu);
         }),
         "regMrSym");
    must(gpu == nullptr || memory == gpu, "mhandle and ginHandle are not the same");
    must(memory != nullptr, "no mhandle");
    return memory;
  }
  void remove(void* memory) {
    must(with([&](auto& t) { return t.deregMrSym(group_, memory); }), "deregMrSym");
  }
  NcclResult put(std::size_t source_offset, void* source, std::size_t bytes, std::size_t target_offset,
                 void* target, int peer, void** request) {
    const auto to = static_cast<std::uint32_t>(peer);
    return with([&](auto& t) {
      if constexpr (kHasContexts<decltype(t)>)
        return t.iput(puts_[context], 1, source_offset, source, bytes, target_offset, target, to, request);
      else
        return t.iput(group_, source_offset, source, bytes, target_offset, target, to, request);
    });
  }
  NcclResult put_signal(std::size_t source_offset, void* source, std::size_t bytes, std::size_t target_offset,
                        void* target, int peer, std::size_t signal_offset, void* signal, std::uint64_t value,
                        std::uint32_t op, void** request) {
    const auto to = static_cast<std::uint32_t>(peer);
    return with([&](auto& t) {
      if constexpr (requires { t.rmaProgress; })
        return t.iputSignal(puts_[context], 0, source_offset, source, bytes, target_offset, target, to,
                            signal_offset, signal, value, op, strong, request);
      else if constexpr (kHasContexts<decltype(t)>)
        return t.iputSignal(puts_[context], 0, source_offset, source, bytes, target_offset, target, to,
                            signal_offset, signal, value, op, request);
      else
        return t.iputSignal(group_, source_offset, source, bytes, target_offset, target, to, signal_offset,
                            signal, value, op, request);
    });
  }
  /// Version 11 has neither get nor flush.
  NcclResult get(std::size_t source_offset, void* source, std::size_t bytes, std::size_t target_offset,
                 void* target, int peer, void** request) {
    return with([&](auto& t) {
      if constexpr (kHasContexts<decltype(t)>)
        return t.iget(puts_[context], 0, source_offset, source, bytes, target_offset, target,
                      static_cast<std::uint32_t>(peer), request);
      else
        return kInvalidUsage;
    });
  }
  void flush(void* memory) {
    must(with([&](auto& t) {
           if constexpr (kHasContexts<decltype(t)>) {
             void* request = nullptr;
             const NcclResult result =
                 t.iflush(puts_[context], 0, memory, static_cast<std::uint32_t>(rank), &request);
             must(request == nullptr || test(request), "a flush has to wait");
             return result;
           }
           return kSuccess;
         }),
         "iflush");
  }
  /// Ignores the result, as NCCL does.
  void progress() {
    with([&](auto& t) {
      if constexpr (requires { t.rmaProgress; })
        return t.rmaProgress(puts_[context]);
      else
        return t.ginProgress(kHasContexts<decltype(t)> ? puts_[context] : group_);
    });
  }
  bool test(void* request) {
    int done = 0;
    with([&](auto& t) { return t.test(group_, request, &done); });
    return done != 0;
  }
  void finish(void* request) {
    for (; !test(request); collbench::yield_core()) progress();
  }
  void await(const std::uint64_t& word, std::uint64_t value) {
    for (; __atomic_load_n(&word, __ATOMIC_ACQUIRE) < value; collbench::yield_core()) progress();
    must(word == value, "a signal went beyond its value");
  }
  bool has_error() {
    bool error = false;
    with([&](auto& t) { return t.queryLastError(group_, &error); });
    return error;
  }
  [[nodiscard]] unsigned long long bytes_sent() const {
    unsigned long long four[4];
    counters_(four);
    return four[0];
  }

  /// Checks the properties against the table and against the net plugin's.
  template <typename Properties>
  std::pair<Properties, Properties> properties() {
    std::pair<Properties, Properties> found;
    must(with([&](auto& t) {
           if constexpr (requires { t.getProperties(0, &found.first); })
             return t.getProperties(0, &found.first);
           else
             return kInvalidUsage;
         }),
         "getProperties");
    using Net = std::conditional_t<std::is_same_v<Properties, PropertiesV12>, NetV12, NetV11>;
    const std::string name = "ncclNetPlugin_v" + std::to_string(Net::kVersion);
    must(static_cast<const Net*>(dlsym(library_, name.c_str()))->getProperties(0, &found.second),
         "getProperties of the net");
    return found;
  }

  GroupMemory& shared;
  const int rank, ranks;
  int context = 0;      // context used by puts and gets
  bool strong = false;  // signals of RMA 14

 private:
  template <typename One>
  static constexpr bool kHasContexts = !std::is_same_v<std::remove_cvref_t<One>, GinV11>;
  template <typename Body>
  NcclResult with(Body body) {
    return std::visit([&](const auto* one) { return body(*one); }, table_);
  }
  NcclResult make_context(const GinV11&, void**) { return kSuccess; }
  NcclResult make_context(const GinV13& table, void** one) {
    GinConfigV13 config{4, 4, 2, 0, -1};
    return table.createContext(group_, &config, one, nullptr);
  }
  NcclResult make_context(const RmaV14& table, void** one) {
    RmaConfigV14 config{2, -1, 1};
    return table.createContext(group_, &config, one);
  }
  void* library_;
  AnyTable table_;
  void (*counters_)(unsigned long long*) = nullptr;
  void *context_ = nullptr, *group_ = nullptr, *puts_[2] = {};
  int rounds_ = 0;
};

enum class Start { kConnected, kByBody };

/// Runs `body` once per rank, each in its own process. @returns all errors; "" if none
inline std::string run(int ranks, Table table, const std::string& fault,
                       const std::function<void(GinRank&)>& body, Start start = Start::kConnected) {
  static int count = 0;
  const std::string token = std::to_string(getpid()) + "-gin-" + std::to_string(++count);
  void* memory =
      mmap(nullptr, sizeof(GroupMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(memory != MAP_FAILED, "mmap");
  auto* shared = new (memory) GroupMemory{};
  std::vector<pid_t> children;
  for (int r = 0; r < ranks; ++r) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("COLLBENCH_SISCI_LIBRARY", "softntb", 1);
      setenv("COLLBENCH_SISCI_TOKEN", token.c_str(), 1);
      setenv("COLLBENCH_SISCI_ADAPTER", std::to_string(r).c_str(), 1);
      setenv("COLLBENCH_SISCI_FAULT", fault.c_str(), 1);
      try {
        GinRank rank(*shared, r, ranks, table);
        if (start == Start::kConnected) rank.connect();
        body(rank);
      } catch (const std::exception& error) {
        std::strncpy(shared->failure[r], error.what(), sizeof shared->failure[r] - 1);
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
        (shared->failure[r][0] != '\0' ? shared->failure[r] : "ended with " + std::to_string(status)) + "; ";
  }
  munmap(memory, sizeof(GroupMemory));
  return troubles;
}

}  // namespace gin_test
