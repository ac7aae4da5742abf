// Functions of device/abi.h.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "cuda/fake/fake_cuda.h"
#include "engines/nvshmem/fake/kernels.h"

using namespace collbench::nvshmem_fake;

namespace {

constexpr std::size_t kIdBytes = 64;

struct Handle {
  Handle(const std::string& name, int rank, int ranks) : world(name, rank, ranks) {}
  World world;
  int ordinal = 0;
  std::uint64_t scope_turn = 0;
  std::array<std::uint64_t, kMaxRanks> sent{}, received{};  // Sequences of messages so far, by peer.
};

int refuse(char* why, std::size_t why_bytes, const char* reason) {
  std::snprintf(why, why_bytes, "%s", reason);
  return -1;
}

int queue(const Handle& handle, void* stream, std::function<void()> work, char* why, std::size_t why_bytes) {
  auto kept = std::make_unique<std::function<void()>>(std::move(work));
  const int result = cudaFakeEnqueue(
      stream, handle.ordinal,
      [](void* argument) {
        (*static_cast<std::function<void()>*>(argument))();
        return 0;
      },
      kept.get(), [](void* argument) { delete static_cast<std::function<void()>*>(argument); });
  // The stream releases it from here on, even if it refused it.
  (void)kept.release();
  return result == 0 ? 0 : refuse(why, why_bytes, "the fake stream refuses work");
}

}  // namespace

FAKE_EXPORT std::size_t collbench_nvshmem_id_bytes() { return kIdBytes; }

FAKE_EXPORT int collbench_nvshmem_make_id(void* id, char* /*why*/, std::size_t /*why_bytes*/) {
  static std::atomic<unsigned> next{0};
  std::snprintf(static_cast<char*>(id), kIdBytes, "/collbench-nvshmem-fake-%d-%u", getpid(), next++);
  return 0;
}

FAKE_EXPORT void collbench_nvshmem_version(char* text, std::size_t bytes) {
  std::snprintf(text, bytes, "3.4.5");
}

FAKE_EXPORT int collbench_nvshmem_create(const void* id, int rank, int ranks, void** opaque, char* why,
                                         std::size_t why_bytes) {
  if (ranks > kMaxRanks) return refuse(why, why_bytes, "the fake has 32 ranks at most");
  try {
    auto handle = std::make_unique<Handle>(static_cast<const char*>(id), rank, ranks);
    int physical = 0;
    if (cudaFakeCurrentDevice(&handle->ordinal, &physical) != 0)
      return refuse(why, why_bytes, "no context is current");
    *opaque = handle.release();
    return 0;
  } catch (const std::exception& error) {
    return refuse(why, why_bytes, error.what());
  }
}

FAKE_EXPORT int collbench_nvshmem_reached(void* handle) {
  return static_cast<Handle*>(handle)->world.ranks - 1;
}
FAKE_EXPORT void* collbench_nvshmem_allocate(void* handle, std::size_t bytes) {
  return static_cast<Handle*>(handle)->world.allocate(bytes);
}
FAKE_EXPORT void collbench_nvshmem_free(void* handle, void* memory) {
  static_cast<Handle*>(handle)->world.free(memory);
}

FAKE_EXPORT int collbench_nvshmem_launch(void* opaque, const CollbenchNvshmemCall* call, char* why,
                                         std::size_t why_bytes) {
  auto& handle = *static_cast<Handle*>(opaque);
  if (const char* reason = refusal(*call)) return refuse(why, why_bytes, reason);
  return queue(
      handle, call->stream, [&world = handle.world, call = *call] { collective(world, call); }, why,
      why_bytes);
}

FAKE_EXPORT int collbench_nvshmem_transfer(void* opaque, const CollbenchNvshmemTransfer* wanted, char* why,
                                           std::size_t why_bytes) {
  auto& handle = *static_cast<Handle*>(opaque);
  SequenceNumbers numbers{};
  for (int n = 0; n < wanted->lots; ++n) {
    const CollbenchNvshmemLot& lot = wanted->lot[n];
    std::uint64_t& sequences =
        (lot.from != nullptr ? handle.sent : handle.received).at(static_cast<std::size_t>(lot.peer));
    if (lot.first == 0) ++sequences;
    numbers.at(static_cast<std::size_t>(n)) = sequences;
  }
  return queue(
      handle, wanted->stream,
      [&world = handle.world, wanted = *wanted, numbers] { transfer(world, wanted, numbers); }, why,
      why_bytes);
}

FAKE_EXPORT int collbench_nvshmem_one_sided(void* opaque, const CollbenchNvshmemOneSided* wanted, char* why,
                                            std::size_t why_bytes) {
  auto& handle = *static_cast<Handle*>(opaque);
  const std::uint64_t turn = handle.scope_turn;
  handle.scope_turn += turns_of(*wanted);
  return queue(
      handle, wanted->stream,
      [&world = handle.world, wanted = *wanted, turn] { one_sided(world, wanted, turn); }, why, why_bytes);
}

FAKE_EXPORT void collbench_nvshmem_destroy(void* opaque, int orderly) {
  if (orderly != 0) delete static_cast<Handle*>(opaque);
}
