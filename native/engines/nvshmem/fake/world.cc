#include "engines/nvshmem/fake/world.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "core/spin.h"
#include "cuda/fake/fake_cuda.h"

namespace collbench::nvshmem_fake {
namespace {

constexpr std::size_t kPartBytes = std::size_t{4} << 30;  // Bytes per rank; untouched pages cost nothing.
constexpr std::size_t kGranule = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

}  // namespace

World::World(const std::string& name, int its_rank, int its_ranks) : rank(its_rank), ranks(its_ranks) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("no shared memory for the fake of NVSHMEM");
  const std::size_t length = kPartBytes * static_cast<std::size_t>(ranks);
  void* const memory =
      ftruncate(file, static_cast<off_t>(length)) == 0
          ? mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0)
          : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the fake of NVSHMEM");
  all_ = static_cast<std::byte*>(memory);
  taken_[0] = rounded(sizeof(PeerFlags));
  barrier(0);
  if (rank == 0) shm_unlink(name.c_str());
}

World::~World() { munmap(all_, kPartBytes * static_cast<std::size_t>(ranks)); }

std::byte* World::part(int of) const { return all_ + kPartBytes * static_cast<std::size_t>(of); }

void* World::allocate(std::size_t bytes) {
  const std::size_t wanted = rounded(bytes);
  std::size_t offset = 0;
  for (const auto& [at, length] : taken_) {
    if (at - offset >= wanted && at > offset) break;
    offset = at + length;
  }
  if (offset + wanted > kPartBytes) return nullptr;
  void* const memory = part(rank) + offset;
  std::memset(memory, 0, bytes);
  if (cudaFakeAdopt(memory, bytes) != 0) return nullptr;
  taken_[offset] = wanted;
  barrier(0);
  return memory;
}

void World::free(void* memory) {
  if (memory == nullptr) return;
  barrier(0);
  cudaFakeForget(memory);
  taken_.erase(static_cast<std::size_t>(static_cast<std::byte*>(memory) - part(rank)));
}

void World::barrier(int who) {
  std::atomic<std::uint64_t>& arrived = peer_flags(0).arrived[who];
  const std::uint64_t all = ++meetings_[who] * static_cast<std::uint64_t>(ranks);
  arrived.fetch_add(1, std::memory_order_acq_rel);
  wait_for(arrived, all);
}

void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  while (counter.load(std::memory_order_acquire) < value) yield_core();
}

}  // namespace collbench::nvshmem_fake
