#include "engines/engine.h"

namespace collbench {

void Engine::prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const Call& call) {
  prepare_buffers(pattern, rank, iteration, const_cast<void*>(call.send), call.recv);
}

Verification Engine::verify(const Pattern& pattern, int rank, std::uint64_t iteration, const Call& call) {
  return collbench::verify(pattern, rank, iteration, call.recv);
}

void Engine::enqueue_all(std::span<const Call> calls) {
  for (const Call& call : calls) enqueue(call);
}

}  // namespace collbench
