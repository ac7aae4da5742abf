// fake_nccl_host: calls a profiler plugin like NCCL 2.27 (version 4), 2.28 (5) and 2.29 (6), without GPU and
// without NCCL. Each rank is a thread with its own communicator. A second thread reports kernel times after
// the calls were enqueued, like NCCL's proxy thread. A step is five all-reduces and a broadcast, then a
// message around the ring.
// fake_nccl_host VERSION RANKS STEPS [graph[=STEP]] [wait]
// graph: from the third step on, a captured step is replayed. graph=STEP: that step is captured, then replays
// and other steps alternate; exit code 4 if NCCL would wait for a time that never arrives. wait: prints
// "ready" and waits to be killed.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "recorder/nccl/profiler.h"

namespace {

using namespace collbench::nccl_profiler;  // NOLINT(google-build-using-namespace): this file is all about
                                           // Names that the macros below use.

int version = 5;
int mask = 0;
/// Number of ranks that have created their communicator. All wait for each other, because NCCL makes no call
/// before all ranks have agreed on a communicator. With `wait`, ranks that have made all their steps are
/// counted too.
std::atomic<int> ready_ranks{0};
std::atomic<bool> stuck{false};

int loaded_mask() { return __atomic_load_n(&mask, __ATOMIC_RELAXED); }

void log(int, unsigned long, const char*, int, const char* format, ...) {
  va_list words;
  va_start(words, format);
  std::vfprintf(stderr, format, words);
  va_end(words);
  std::fputc('\n', stderr);
}

struct Task {
  const char* function;
  std::size_t count;
  int root;
  int peer;
  void* api;
  void* event;
  int mask;
};

constexpr std::size_t kBuckets[] = {2049000, 7875584, 6563840, 6637568, 2431040};

template <typename Profiler, typename Descriptor>
class ProfiledRank {
 public:
  ProfiledRank(const Profiler& plugin, int ranks, int rank) : plugin_(plugin), ranks_(ranks), rank_(rank) {
    constexpr std::uint64_t kId = 0xfeedbeef12345678;
    if constexpr (requires { plugin.init(nullptr, kId, &mask, "", 1, 1, 0, log); })
      plugin.init(&context_, kId, &mask, "world", 1, ranks, rank, log);
    else
      plugin.init(&context_, &mask, "world", kId, 1, ranks, rank, log);
  }

  void step(bool is_captured) {
    std::vector<Task> tasks;
    for (const std::size_t count : kBuckets) tasks.push_back(append("AllReduce", count, 0, -1, is_captured));
    tasks.push_back(append("Broadcast", 26560, 0, -1, is_captured));
    tasks.push_back(append("Send", 4096, -1, (rank_ + 1) % ranks_, is_captured));
    tasks.push_back(append("Recv", 4096, -1, (rank_ + ranks_ - 1) % ranks_, is_captured));
    for (Task& task : tasks) {
      const bool is_timed = (task.mask & static_cast<int>(kKernelChannel)) != 0;
      // The host counts a captured call without times when it is captured, any other call when it runs.
      if (!is_captured || !is_timed) ++host_works_;
      if (!is_captured) ++device_works_;
      if (!is_captured || !counts_) run({&task, 1});
    }
    if (is_captured) captured_ = tasks;
  }

  /// Reports the events of one replay of the captured graph, for the calls that were timed at the capture.
  /// Their parents are the API events of the capture, as with NCCL.
  void replay() {
    for (Task& task : captured_) {
      ++device_works_;
      if ((task.mask & static_cast<int>(kKernelChannel)) == 0) continue;
      ++host_works_;
      run({&task, 1});
    }
  }

  /// Makes later timed calls compare the counts of work on host and device. If they differ, NCCL would wait
  /// for ever for kernel times, and is_stuck() becomes true.
  void count() { counts_ = true; }
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }

  void finish() { plugin_.finalize(context_); }

 private:
  struct EventGroup {
    Task* task;
    int count;
  };

  void* event(Descriptor& descriptor) {
    void* handle = nullptr;
    plugin_.start(context_, &handle, &descriptor);
    return handle;
  }

  Task append(const char* function, std::size_t count, int root, int peer, bool is_captured) {
    Task task{function, count, root, peer, nullptr, nullptr, loaded_mask()};
    if constexpr (requires(Descriptor d) { d.coll_api; }) {
      Descriptor descriptor{};
      descriptor.type = peer < 0 ? kCollApi : kP2pApi;
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      void* stream = reinterpret_cast<void*>(0x7f0000001000);
      if (peer < 0)
        descriptor.coll_api = {function, count, "ncclFloat32", root, stream, is_captured};
      else
        descriptor.p2p_api = {function, count, "ncclFloat32", stream, is_captured};
      task.api = event(descriptor);
      plugin_.stop(task.api);
    }
    return task;
  }

  void run(EventGroup some) {
    Descriptor group{};
    group.type = kGroup;
    void* group_event = event(group);
    Task& task = *some.task;
    Descriptor descriptor{};
    descriptor.parent = version == 4 ? group_event : task.api;
    descriptor.rank = rank_;
    const bool is_coll = task.peer < 0;
    descriptor.type = static_cast<decltype(descriptor.type)>(is_coll ? kColl : kP2p);
    if (is_coll)
      descriptor.coll = {sequence_++, task.function, nullptr,       nullptr,
                         task.count,  task.root,     "ncclFloat32", 2,
                         16,          "RING",        "SIMPLE"};
    else
      descriptor.p2p = {task.function, nullptr, "ncclFloat32", task.count, task.peer, 1};
    task.event = event(descriptor);
    plugin_.stop(task.event);
    plugin_.stop(group_event);
    if ((task.mask & static_cast<int>(kKernelChannel)) != 0) kernel(task, is_coll ? 2 : 1);
  }

  /// Reports the begin and end of a kernel on each channel, from another thread, like NCCL's proxy thread.
  /// Ranks with higher numbers have shorter kernels, because a later rank waits less inside its kernel.
  void kernel(const Task& task, int channels) {
    if (counts_ && host_works_ != device_works_) is_stuck_ = true;
    std::thread proxy([&] {
      const auto now = static_cast<std::uint64_t>(collbench::now_ns());
      std::vector<void*> events;
      for (int channel = 0; channel < channels; ++channel) {
        Descriptor descriptor{};
        descriptor.type = static_cast<decltype(descriptor.type)>(kKernelChannel);
        descriptor.parent = task.event;
        descriptor.kernel = {static_cast<std::uint8_t>(channel), now + 10u * static_cast<unsigned>(channel)};
        events.push_back(event(descriptor));
      }
      const std::uint64_t end = now + task.count + 1000u * static_cast<unsigned>(ranks_ - 1 - rank_);
      StateArguments arguments{end};
      for (void* one : events) {
        plugin_.state(one, kKernelChannelStop, &arguments);
        plugin_.stop(one);
      }
    });
    proxy.join();
  }

  const Profiler& plugin_;
  const int ranks_;
  const int rank_;
  void* context_ = nullptr;
  std::uint64_t sequence_ = 0;
  std::vector<Task> captured_;
  /// Numbers of kernels started, as host and device count them for one channel (NCCL src/proxy.cc,
  /// incWorkCounter; src/device/common.h, profiler).
  std::uint64_t host_works_ = 0, device_works_ = 0;
  bool counts_ = false;
  bool is_stuck_ = false;
};

template <typename Profiler, typename Descriptor>
void drive(const void* symbol, int ranks, int steps, bool has_graph, int captured, bool waits) {
  const auto& plugin = *static_cast<const Profiler*>(symbol);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ProfiledRank<Profiler, Descriptor> self(plugin, ranks, rank);
      ++ready_ranks;
      while (ready_ranks < ranks) collbench::yield_core();
      if (captured > 0) self.count();
      for (int step = 0; step < steps; ++step) {
        if (captured > 0 ? step > captured && step % 2 == 0 : has_graph && step > 2)
          self.replay();
        else
          self.step(captured > 0 ? step == captured : has_graph && step == 2);
      }
      if (self.is_stuck()) stuck = true;
      if (waits && ++ready_ranks == 2 * ranks) {
        std::puts("ready");
        std::fflush(stdout);
      }
      while (waits) pause();
      self.finish();
    });
  }
  for (auto& one : threads) one.join();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int ncclGetVersion(int* out) {
  *out = version == 4 ? 22707 : version == 5 ? 22809 : 22902;
  return 0;
}

int main(int count, char** words) {
  if (count < 4) return std::fputs("fake_nccl_host VERSION RANKS STEPS [graph[=STEP]] [wait]\n", stderr), 1;
  version = std::atoi(words[1]);
  bool has_graph = false;
  int captured = 0;
  bool waits = false;
  for (int i = 4; i < count; ++i) {
    has_graph = has_graph || std::strcmp(words[i], "graph") == 0;
    if (std::strncmp(words[i], "graph=", 6) == 0) captured = std::atoi(words[i] + 6);
    waits = waits || std::strcmp(words[i], "wait") == 0;
  }
  const char* path = std::getenv("NCCL_PROFILER_PLUGIN");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::fprintf(stderr, "no plugin: %s\n", path == nullptr ? "" : dlerror()), 2;
  const void* symbol = dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str());
  if (symbol == nullptr) return std::fputs("no such version\n", stderr), 3;
  const int ranks = std::atoi(words[2]);
  const int steps = std::atoi(words[3]);
  if (version == 4) drive<ProfilerV4, DescriptorV4>(symbol, ranks, steps, has_graph, captured, waits);
  if (version == 5) drive<ProfilerV5, DescriptorV5>(symbol, ranks, steps, has_graph, captured, waits);
  if (version == 6) drive<ProfilerV6, DescriptorV6>(symbol, ranks, steps, has_graph, captured, waits);
  dlclose(library);
  return stuck ? 4 : 0;
}
