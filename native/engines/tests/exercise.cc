#include "engines/tests/exercise.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "collectives/pattern.h"
#include "core/error.h"
#include "engines/local_bootstrap.h"

namespace collbench::test {
namespace {
constexpr std::size_t kGuardBytes = 64;
constexpr int kGuard = 0x5A;
}  // namespace

void on_ranks(int ranks, const std::function<void(Bootstrap&, const std::function<bool()>&)>& body) {
  LocalRendezvous rendezvous(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      LocalBootstrap bootstrap(rendezvous, r);
      try {
        body(bootstrap, [&] { return rendezvous.failed(); });
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        rendezvous.fail(e.what());
      }
    });
  for (auto& t : threads) t.join();
  if (first) std::rethrow_exception(first);
}

std::string exercise(Engine& engine, int rank, int ranks, const Operation& operation, int iterations) {
  const Pattern pattern{operation, ranks, 99};
  const std::size_t element = size_of(operation.dtype);
  const BufferShape shape = shape_of(operation, rank, ranks);
  const std::size_t offset = in_place_offset(operation, rank) * element;
  const std::size_t most = std::max(shape.send_elements, shape.recv_elements) * element;
  auto* second = static_cast<std::byte*>(engine.buffer(1, most + kGuardBytes));
  std::byte* send = second;
  std::byte* recv = second;
  if (!operation.in_place)
    send = static_cast<std::byte*>(engine.buffer(0, shape.send_elements * element));
  else
    (result_in_send(operation.kind) ? recv : send) = second + offset;
  std::byte* guard = second + (operation.in_place ? most : shape.recv_elements * element);
  for (int i = 0; i < iterations; ++i) {
    const auto iteration = static_cast<std::uint64_t>(i);
    std::memset(guard, kGuard, kGuardBytes);
    prepare_buffers(pattern, rank, iteration, send, recv);
    engine.enqueue({operation, send, recv});
    engine.synchronize();
    const Verification seen = verify(pattern, rank, iteration, recv);
    const bool guarded =
        std::all_of(guard, guard + kGuardBytes, [](std::byte b) { return b == std::byte{kGuard}; });
    if (seen.wrong == 0 && guarded) continue;
    return std::string(name_of(operation.kind)) + " " + std::string(name_of(operation.dtype)) + " " +
           std::string(name_of(operation.op)) + (operation.in_place ? " in place" : "") + " count " +
           std::to_string(operation.count) + " root " + std::to_string(operation.root) + " ranks " +
           std::to_string(ranks) + " rank " + std::to_string(rank) + " " + engine.algorithm_of(operation) +
           (guarded ? "" : ": wrote behind the receive buffer") + ": " + std::to_string(seen.wrong) +
           " wrong, first " + std::to_string(seen.first_index) + " wanted " + seen.wanted + " got " +
           seen.got + " " + seen.note;
  }
  return {};
}

std::vector<Operation> operations(int ranks, const std::vector<std::size_t>& counts, bool all_types) {
#ifdef __SANITIZE_THREAD__
  // Types and operators do not decide which threads meet; other builds test all of them.
  constexpr bool kOneOfEachKind = true;
#else
  constexpr bool kOneOfEachKind = false;
#endif
  std::vector<Operation> list;
  for (const CollectiveRow& row : kCollectiveTable)
    for (int d = 0; d < kHostDataTypeCount; ++d)
      for (int o = 0; o < kHostReduceOpCount; ++o)
        for (const std::size_t count : counts)
          for (const bool in_place : {false, true})
            for (const int root : {0, ranks - 1}) {
              Operation operation;
              const CollectiveKind kind = operation.kind = row.kind;
              operation.dtype = static_cast<DataType>(d);
              operation.op = static_cast<ReduceOp>(o);
              operation.count = count;
              operation.in_place = in_place;
              operation.root = root;
              const bool rooted = has_root(kind);
              if (!rooted && root != 0) continue;
              if (root == 0 && rooted && ranks > 1 && in_place) continue;
              if (!reduces(kind) && o != 0) continue;
              if (in_place && !has_in_place(kind)) continue;
              if (!can_run(kind, ranks)) continue;
              if (kOneOfEachKind && (o != 0 || d != static_cast<int>(kind) % kHostDataTypeCount)) continue;
              if (!all_types && d != (o + static_cast<int>(kind)) % kHostDataTypeCount &&
                  d != static_cast<int>(DataType::kFloat32))
                continue;
              list.push_back(operation);
            }
  return list;
}

}  // namespace collbench::test
