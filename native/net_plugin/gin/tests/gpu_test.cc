// Windows in GPU memory; skipped on machines without a GPU.
#include <doctest/doctest.h>

#include <numeric>
#include <thread>

#include "net_plugin/gin/tests/ranks.h"

using namespace gin_test;

namespace {

/// The first GPU. Each process finds it for itself, because CUDA does not survive a fork.
class TestGpu {
 public:
  explicit TestGpu(int rank) {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    int devices = 0, device = 0;
    void* context = nullptr;
    if (library_ == nullptr || call<int (*)(unsigned)>("cuInit")(0) != 0) return;
    if (call<int (*)(int*)>("cuDeviceGetCount")(&devices) != 0 || devices == 0) return;
    must(call<int (*)(int*, int)>("cuDeviceGet")(&device, rank % devices) == 0, "cuDeviceGet");
    must(call<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device) == 0, "context");
    must(call<int (*)(void*)>("cuCtxSetCurrent")(context) == 0, "cuCtxSetCurrent");
    is_there = true;
  }
  void* make(std::size_t bytes) const {
    std::uint64_t address = 0;
    must(call<int (*)(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&address, bytes) == 0, "cuMemAlloc");
    const std::vector<std::uint8_t> zeros(bytes);
    copy(reinterpret_cast<void*>(address), zeros.data(), bytes);
    return reinterpret_cast<void*>(address);
  }
  void copy(void* to, const void* from, std::size_t bytes) const {
    const auto at = [](const void* place) {
      return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(place));
    };
    must(call<int (*)(std::uint64_t, std::uint64_t, std::size_t)>("cuMemcpy")(at(to), at(from), bytes) == 0,
         "cuMemcpy");
  }
  bool is_there = false;

 private:
  template <typename Function>
  Function call(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  void* library_ = nullptr;
};

}  // namespace

TEST_CASE("puts, gets and signals between memory of GPUs, driven by a thread that has no context of CUDA") {
  if (dlopen("libcuda.so.1", RTLD_NOW) == nullptr) {
    MESSAGE("skipped: no GPU");
    return;
  }
  CHECK(run(
            2, Table::kRma14, "",
            [](GinRank& rank) {
              constexpr std::size_t kBytes = 3'000'000;
              const TestGpu gpu(rank.rank);
              if (!gpu.is_there) return;
              rank.connect();
              std::vector<std::uint8_t> sent(kBytes), got(kBytes);
              for (std::size_t i = 0; i < kBytes; ++i)
                sent[i] = static_cast<std::uint8_t>(i * 7 + (i >> 9) + static_cast<std::size_t>(rank.rank));
              void *from = gpu.make(kBytes), *to = gpu.make(kBytes), *words = gpu.make(64);
              gpu.copy(from, sent.data(), kBytes);
              void *source = rank.add(from, kBytes, kPtrCuda), *target = rank.add(to, kBytes, kPtrCuda),
                   *signals = rank.add(words, 64, kPtrCuda);
              rank.meet();
              std::uint64_t signal = 0;
              std::thread([&] {
                for (const int peer : {1 - rank.rank, rank.rank}) {
                  void* request = nullptr;
                  must(rank.put_signal(0, source, kBytes / 2, peer == rank.rank ? kBytes / 2 : 0, target,
                                       peer, 8, signals, 5, kSignalAdd, &request),
                       "put");
                  rank.finish(request);
                }
              }).join();
              while (signal < 10) {
                rank.progress();
                gpu.copy(&signal, static_cast<std::byte*>(words) + 8, sizeof signal);
              }
              must(signal == 10, "the signal is wrong");
              gpu.copy(got.data(), to, kBytes);
              for (std::size_t i = 0; i < kBytes; ++i) {
                const std::size_t at = i % (kBytes / 2);
                const int writer = i < kBytes / 2 ? 1 - rank.rank : rank.rank;
                if (got[i] !=
                    static_cast<std::uint8_t>(at * 7 + (at >> 9) + static_cast<std::size_t>(writer)))
                  must(false, "byte " + std::to_string(i) + " is wrong");
              }
              const std::vector<std::uint8_t> zeros(kBytes / 2);
              gpu.copy(to, zeros.data(), zeros.size());
              void* request = nullptr;  // the peer's second half, written over our first
              must(rank.get(kBytes / 2, target, kBytes / 2, 0, target, 1 - rank.rank, &request), "get");
              rank.finish(request);
              gpu.copy(got.data(), to, kBytes / 2);
              for (std::size_t i = 0; i < kBytes / 2; ++i)
                if (got[i] !=
                    static_cast<std::uint8_t>(i * 7 + (i >> 9) + static_cast<std::size_t>(1 - rank.rank)))
                  must(false, "byte " + std::to_string(i) + " of a get is wrong");
              rank.meet();
            },
            Start::kByBody) == "");
}
