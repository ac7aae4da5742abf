#include "measure/shared_state.h"

#include <new>

#include "core/error.h"
#include "core/spin.h"

namespace collbench {
namespace {

constexpr std::uint32_t kPollsPerLook = 4096;
constexpr std::size_t kProgressOffset = (sizeof(SharedState) + 63) / 64 * 64;

[[noreturn]] void throw_aborted() {
  throw Error(ErrorCode::kCancelled, "stopped while waiting for the other ranks: the run is being ended");
}

void wait_for_release(const SharedState& shared_state, std::uint32_t generation) {
  Spinner spinner(shared_state.spins);
  while (shared_state.generation.load(std::memory_order_acquire) == generation) {
    if (shared_state.abort.load(std::memory_order_relaxed) != 0) throw_aborted();
    spinner.step();
  }
}

}  // namespace

const char* name_of(RankPhase phase) noexcept {
  switch (phase) {
    case RankPhase::kStarting:
      return "starting";
    case RankPhase::kConnecting:
      return "connecting";
    case RankPhase::kIdle:
      return "idle";
    case RankPhase::kFilling:
      return "filling";
    case RankPhase::kWaitingStart:
      return "waiting for the start";
    case RankPhase::kRunning:
      return "running";
    case RankPhase::kVerifying:
      return "verifying";
    case RankPhase::kFinished:
      return "finished";
  }
  return "unknown";
}

RankProgress* SharedState::progress(int rank) noexcept {
  auto* base = reinterpret_cast<std::byte*>(this) + kProgressOffset;
  return std::launder(reinterpret_cast<RankProgress*>(base)) + rank;
}

std::size_t shared_state_bytes(int ranks) noexcept {
  return kProgressOffset + sizeof(RankProgress) * static_cast<std::size_t>(ranks);
}

SharedState* make_shared_state(void* memory, int ranks) noexcept {
  auto* shared_state = new (memory) SharedState;
  shared_state->ranks = ranks;
  shared_state->spins = spins_for(ranks);
  auto* progress = static_cast<std::byte*>(memory) + kProgressOffset;
  for (int r = 0; r < ranks; ++r)
    new (progress + sizeof(RankProgress) * static_cast<std::size_t>(r)) RankProgress;
  return shared_state;
}

void pass_barrier(SharedState& shared_state) {
  const std::uint32_t generation = shared_state.generation.load(std::memory_order_acquire);
  if (shared_state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(shared_state.ranks))
    return release_barrier(shared_state);
  wait_for_release(shared_state, generation);
}

void join_barrier(SharedState& shared_state) {
  const std::uint32_t generation = shared_state.generation.load(std::memory_order_acquire);
  shared_state.arrived.fetch_add(1, std::memory_order_acq_rel);
  wait_for_release(shared_state, generation);
}

void gather_barrier(SharedState& shared_state, const std::function<void()>& look) {
  Spinner spinner(shared_state.spins);
  const auto others = static_cast<std::uint32_t>(shared_state.ranks - 1);
  for (std::uint32_t polls = 1; shared_state.arrived.load(std::memory_order_acquire) != others; ++polls) {
    if (shared_state.abort.load(std::memory_order_relaxed) != 0) throw_aborted();
    if (polls % kPollsPerLook == 0) look();
    spinner.step();
  }
}

void release_barrier(SharedState& shared_state) noexcept {
  shared_state.arrived.store(0, std::memory_order_relaxed);
  shared_state.generation.fetch_add(1, std::memory_order_release);
}

}  // namespace collbench
