// The card with GPU memory; a fake libcuda is used if there is no GPU.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <stdlib.h>

#include "emulated/softmlx5/nic/gpu_copy.h"
#include "emulated/softmlx5/nic/tests/client.h"

using namespace collbench::softmlx5;
using namespace collbench::softmlx5::test;

namespace {

/// Device memory of the first GPU; empty if there is none.
class GpuMemory {
 public:
  explicit GpuMemory(std::size_t bytes) {
    void* cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (cuda == nullptr) cuda = dlopen(COLLBENCH_FAKE_CUDA, RTLD_NOW);
    if (cuda == nullptr) return;
    const auto call = [cuda](const char* name) { return dlsym(cuda, name); };
    is_fake = call("collbenchFakeCuda") != nullptr;
    void* context = nullptr;
    int device = 0;
    if (reinterpret_cast<int (*)(unsigned)>(call("cuInit"))(0) != 0) return;
    if (reinterpret_cast<int (*)(int*, int)>(call("cuDeviceGet"))(&device, 0) != 0) return;
    reinterpret_cast<int (*)(void**, int)>(call("cuDevicePrimaryCtxRetain"))(&context, device);
    reinterpret_cast<int (*)(void*)>(call("cuCtxSetCurrent"))(context);
    std::uint64_t address = 0;
    if (reinterpret_cast<int (*)(std::uint64_t*, std::size_t)>(call("cuMemAlloc_v2"))(&address, bytes) != 0)
      return;
    reinterpret_cast<int (*)(void**, unsigned)>(call("cuStreamCreate"))(&stream, 0);
    copy_async = reinterpret_cast<decltype(copy_async)>(call("cuMemcpyAsync"));
    wait = reinterpret_cast<decltype(wait)>(call("cuStreamSynchronize"));
    data = reinterpret_cast<std::byte*>(address);
  }
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) const {
    REQUIRE(copy_async(to, from, bytes, stream) == 0);
    REQUIRE(wait(stream) == 0);
  }
  void write(std::size_t offset, const void* from, std::size_t bytes) const {
    copy(at(data + offset), at(from), bytes);
  }
  void read(void* to, std::size_t offset, std::size_t bytes) const { copy(at(to), at(data + offset), bytes); }
  static std::uint64_t at(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }
  std::byte* data = nullptr;
  bool is_fake = false;

 private:
  void* stream = nullptr;
  int (*copy_async)(std::uint64_t, std::uint64_t, std::size_t, void*) = nullptr;
  int (*wait)(void*) = nullptr;
};

}  // namespace

// The first case, because a stream that is open once is kept.
TEST_CASE("GPU memory that cannot be copied is refused when it is registered, and is never host memory") {
  const GpuMemory gpu(4096);
  if (gpu.data == nullptr || !gpu.is_fake) {
    MESSAGE("skipped: no fake GPU");
    return;
  }
  Client a(4096);
  const auto key = [&] {
    return a.card->register_memory({gpu.data, 4096, GpuMemory::at(gpu.data), kAll, a.domain, false});
  };
  setenv("COLLBENCH_FAKE_CUDA_NO_STREAM", "1", 1);
  CHECK(is_gpu_memory(gpu.data));
  CHECK(key() == 0);
  unsetenv("COLLBENCH_FAKE_CUDA_NO_STREAM");
  CHECK(key() != 0);
}

TEST_CASE("WRITE, READ and atomics reach memory of a GPU, whichever side it is on") {
  constexpr std::size_t kBytes = 4 << 20;
  const GpuMemory gpu(2 * kBytes);
  if (gpu.data == nullptr) {
    MESSAGE("skipped: no GPU");
    return;
  }
  Client a(2 * kBytes), b(2 * kBytes);
  REQUIRE(a.connect(b.address()));
  REQUIRE(b.connect(a.address()));
  const std::uint64_t base = GpuMemory::at(gpu.data);
  const std::uint32_t a_key = a.card->register_memory({gpu.data, 2 * kBytes, base, kAll, a.domain, false});
  const std::uint32_t b_key = b.card->register_memory({gpu.data, 2 * kBytes, base, kAll, b.domain, false});
  const auto local = [&](std::uint64_t offset, std::uint32_t bytes) -> Client& {
    return a.data_with(base + offset - GpuMemory::at(a.memory.data()), bytes, a_key);
  };
  for (const std::uint32_t bytes : {8U, 4096U, 100'000U, 4U << 20}) {
    std::vector<std::byte> sent(bytes), seen(bytes);
    for (std::uint32_t n = 0; n < bytes; ++n) sent[n] = static_cast<std::byte>(n * 7 + bytes);
    gpu.write(0, sent.data(), bytes);
    a.control(kWrite).raw(base + kBytes, b_key, 0);  // GPU to GPU
    local(0, bytes).post();
    a.control(kWrite).remote(b.address(), 0);  // GPU to host
    local(0, bytes).post();
    a.ring_doorbell();
    for (int n = 0; n < 2; ++n) CHECK(a.poll()->syndrome == 0);
    gpu.read(seen.data(), kBytes, bytes);
    CHECK(seen == sent);
    CHECK(std::memcmp(b.memory.data(), sent.data(), bytes) == 0);
    a.control(kRead).raw(base + kBytes, b_key, 0).data(0, bytes).post();  // GPU to host, read
    a.ring_doorbell();
    CHECK(a.poll()->syndrome == 0);
    CHECK(std::memcmp(a.memory.data(), sent.data(), bytes) == 0);
  }
  const std::uint64_t before = 40;
  std::uint64_t after = 0;
  gpu.write(kBytes, &before, sizeof before);
  a.control(kFetchAdd).raw(base + kBytes, b_key, 0).operands(2, 0).data(0, 8).post();
  a.ring_doorbell();
  CHECK(a.poll()->syndrome == 0);
  gpu.read(&after, kBytes, sizeof after);
  CHECK(after == 42);
  CHECK(std::memcmp(a.memory.data(), &before, sizeof before) == 0);
}

TEST_CASE("send rings and completion entries may lie in memory of a GPU, and go round there") {
  constexpr std::size_t kEntriesBytes = std::size_t{64} << Client::kLogEntries;
  constexpr std::size_t kRingBytes = std::size_t{64} << Client::kLogBlocks;
  const GpuMemory gpu(kRingBytes + kEntriesBytes);
  if (gpu.data == nullptr) {
    MESSAGE("skipped: no GPU");
    return;
  }
  REQUIRE(is_gpu_memory(gpu.data));
  Client a(1 << 20, QueueKind::kReliable, kAll, gpu.data), b;
  REQUIRE(a.queue != 0);
  REQUIRE(a.connect(b.address()));
  REQUIRE(b.connect(a.address()));
  gpu.write(kRingBytes, a.entries.data(), kEntriesBytes);
  const auto next_entry = [&] {
    std::optional<CompletionEntry> entry;
    for (int looks = 0; looks < 20'000 && !entry; ++looks) {
      gpu.read(a.entries.data(), kRingBytes, kEntriesBytes);
      entry = a.poll(1);
    }
    return entry;
  };
  std::uint32_t posted = 0;
  for (int round = 0; round < 100; ++round) {  // 300 entries: the ring has 64 blocks, the queue 256 entries
    std::vector<std::uint16_t> indices;
    for (std::uint32_t n = 0; n < 3; ++n, ++posted) {
      std::memcpy(a.memory.data() + std::size_t{n} * 4, &posted, sizeof posted);
      indices.push_back(a.control(kWrite).remote(b.address(), n * 4).data(n * 4, 4).post());
    }
    gpu.write(0, a.ring.data(), kRingBytes);
    a.ring_doorbell();
    for (const std::uint16_t index : indices) {
      const auto entry = next_entry();
      REQUIRE(entry);
      CHECK(entry->syndrome == 0);
      CHECK(entry->counter == index);
    }
    REQUIRE(std::memcmp(a.memory.data(), b.memory.data(), 12) == 0);
  }
}
