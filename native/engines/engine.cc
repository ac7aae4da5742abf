#include "engines/engine.h"

#include <algorithm>

#include "core/error.h"
#include "core/spin.h"

namespace collbench {
namespace {

[[noreturn]] void lacks(const char* what) {
  throw Error(ErrorCode::kInternal, std::string("this engine has no ") + what + "; its abilities are wrong");
}

}  // namespace

void* Engine::buffer(int /*index*/, std::size_t /*bytes*/) { lacks("buffers"); }
void Engine::enqueue(const CollectiveCall& /*call*/) { lacks("collectives"); }
void Engine::transfer(std::span<const PeerMessage> /*messages*/) { lacks("transfers"); }
void Engine::one_sided(const OneSided& /*work*/) { lacks("one-sided operations"); }
void Engine::launch(const Computation& /*computation*/, const void* /*arguments*/,
                    std::uint64_t /*threads*/) {
  lacks("computations");
}
std::unique_ptr<Training> Engine::train(const TrainingJob& /*job*/) { lacks("training"); }
std::unique_ptr<Engine> Engine::for_group(Bootstrap& /*group*/) { lacks("groups of ranks"); }
void Engine::upload(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) { lacks("computations"); }
void Engine::download(void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) { lacks("computations"); }

std::uint32_t Engine::spins(int threads) const { return spins_for(threads); }

PutPort& Engine::put_port() {
  throw Error(ErrorCode::kInvalidArgument,
              "nobody but the transport itself can write its queues; control paths need --transport ibgda");
}

std::vector<std::byte*> Engine::reach(std::byte* /*at*/) {
  throw Error(
      ErrorCode::kInvalidArgument,
      "kernels do not reach the memory of other ranks over this transport; stores need --transport p2p");
}
void Engine::count_stores(std::size_t /*sent*/, std::size_t /*received*/, std::size_t /*messages*/) {
  lacks("stores");
}

void Engine::prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const CollectiveCall& call) {
  prepare_buffers(pattern, rank, iteration, const_cast<void*>(call.send), call.recv);
}

Verification Engine::verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                            const CollectiveCall& call) {
  return collbench::verify(pattern, rank, iteration, call.recv);
}

void Engine::enqueue_all(std::span<const CollectiveCall> calls) {
  for (const CollectiveCall& call : calls) enqueue(call);
}

const EngineEntry* find_engine(std::span<const EngineEntry> engines, std::string_view name) noexcept {
  const auto found = std::find_if(engines.begin(), engines.end(),
                                  [&](const EngineEntry& entry) { return entry.name == name; });
  return found == engines.end() ? nullptr : &*found;
}

}  // namespace collbench
