#include "workloads/stencil/kernels.h"

#include <algorithm>

namespace collbench::stencil {
namespace {

/// Updates all points of a row except the first and the last. `north` and `south` are the adjacent rows, of
/// the field or of a halo. The loop can be compiled to vector instructions.
template <class T>
void update_row(const T* __restrict north, const T* __restrict row, const T* __restrict south,
                T* __restrict out, std::uint64_t width) {
  for (std::uint64_t x = 1; x + 1 < width; ++x) out[x] = average(north[x], south[x], row[x - 1], row[x + 1]);
}

template <class T>
void update(const void* arguments) {
  const JacobiArgs& a = *static_cast<const JacobiArgs*>(arguments);
  const T* const in = static_cast<const T*>(a.in);
  T* const out = static_cast<T*>(a.out);
  const auto halo = [&](Side side) { return static_cast<const T*>(a.halos[side]); };
  const auto edge = [&](Side side) { return static_cast<T*>(a.edges[side]); };
  for (std::uint64_t y = 0; y < a.height; ++y) {
    const T* const row = in + y * a.width;
    T* const made = out + y * a.width;
    update_row(y > 0 ? row - a.width : halo(kNorth), row, y + 1 < a.height ? row + a.width : halo(kSouth),
               made, a.width);
    update_point<T>(a, 0, y);
    update_point<T>(a, a.width - 1, y);
  }
  std::copy_n(out, a.width, edge(kNorth));
  std::copy_n(out + (a.height - 1) * a.width, a.width, edge(kSouth));
}

template <class T>
constexpr const char* kKernel = "collbench_jacobi_float32";
template <>
constexpr const char* kKernel<double> = "collbench_jacobi_float64";

constexpr std::uint64_t kThreadsPerBlock = 256;                 // Block size in the engine's launches.
constexpr std::uint64_t kBlockBytes = std::uint64_t{16} << 10;  // Bytes that justify a block of their own.
constexpr std::uint64_t kMaxBlocks = 8;

/// Does the work of the kernel on the host, for fake GPUs: one thread does the work of all threads.
void run_exchange(const void* arguments) {
  const ExchangeArgs& args = *static_cast<const ExchangeArgs*>(arguments);
  if (args.job != kJobStore) return exchange(args);
  for (u32 block = 0; block < args.links * args.blocks; ++block) store_part(args, block, 0, 1);
  for (u32 link = 0; link < args.links; ++link) await_halo(args, link);
}

}  // namespace

template <class T>
Computation jacobi() {
  return {jacobi_source(), kKernel<T>, sizeof(JacobiArgs), update<T>};
}
template Computation jacobi<float>();
template Computation jacobi<double>();

std::uint64_t jacobi_threads(std::uint64_t width, std::uint64_t height) noexcept {
  return width * ((height + kRowsPerThread - 1) / kRowsPerThread);
}

/// Returns the text of the kernel, with everything that it includes.
const char* exchange_source() noexcept;

Computation exchange_kernel() noexcept {
  return {exchange_source(), "collbench_exchange", sizeof(ExchangeArgs), run_exchange};
}

std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept {
  return args.job == kJobStore ? args.links * args.blocks * kThreadsPerBlock : 1;
}

std::uint32_t blocks_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / kBlockBytes, 1, kMaxBlocks));
}

}  // namespace collbench::stencil
