#include "engines/nvshmem/tuning.h"

#include <algorithm>

namespace collbench::nvshmem {
namespace {

constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
constexpr std::size_t kFlaggedBytes = 8;  // Data bytes per packet.
// Bytes given to all other ranks together; beyond this, two-shot moves less.
constexpr std::size_t kOneShotBytes = MiB;
constexpr std::size_t kPlainTwoShotBytes = 4 * MiB;

bool has_packet(CollbenchNvshmemAlgorithm algorithm) {
  return algorithm == kCollbenchNvshmemRing || algorithm == kCollbenchNvshmemSimpleRing ||
         algorithm == kCollbenchNvshmemAlternatingRings || algorithm == kCollbenchNvshmemTree;
}

int rounded_threads(std::size_t wanted, int most) {
  return static_cast<int>(
      std::clamp<std::size_t>((wanted + 31) / 32 * 32, kMinThreads, static_cast<std::size_t>(most)));
}
int clamped_blocks(std::size_t wanted) {
  return static_cast<int>(std::clamp<std::size_t>(wanted, 1, kMaxBlocks));
}

/// Returns a launch shape in which each thread moves one unit, in blocks of at most `most` threads. If that
/// needs more blocks than are possible, threads move several units.
/// @param units number of units: packets with flags (kFlaggedBytes of data each), or words of 16 bytes
CollbenchNvshmemPoint spread(std::size_t units, int most) {
  const int threads = rounded_threads(units, most);
  const auto each = static_cast<std::size_t>(threads);
  return {clamped_blocks((units + each - 1) / each), threads, kMaxPacket};
}

CollbenchNvshmemAlgorithm usual_algorithm(const Operation& operation, std::size_t bytes, int ranks) {
  if (operation.kind != CollectiveKind::kAllreduce) return kCollbenchNvshmemDirect;
  if (bytes * static_cast<std::size_t>(ranks - 1) <= kOneShotBytes) return kCollbenchNvshmemOneShot;
  return bytes <= kPlainTwoShotBytes ? kCollbenchNvshmemTwoShot : kCollbenchNvshmemRing;
}

/// Returns the default launch shape, measured on two H200s behind NVLink.
CollbenchNvshmemPoint usual_point(CollbenchNvshmemAlgorithm algorithm, std::size_t bytes) {
  if (has_packet(algorithm)) return {kMaxBlocks, kMaxThreads, kMaxPacket};
  if (algorithm == kCollbenchNvshmemOneShot || algorithm == kCollbenchNvshmemTwoShot) {
    if (bytes <= kMaxBlocks * kFlaggedBytesPerBlock)
      return spread((bytes + kFlaggedBytes - 1) / kFlaggedBytes, bytes <= 256 * KiB ? 512 : kMaxThreads);
    return {64, kMaxThreads, kMaxPacket};
  }
  return spread((bytes + 15) / 16, 512);
}

void fix(LaunchPlan& plan, const NvshmemSettings& settings) {
  if (settings.blocks > 0) plan.point.blocks = settings.blocks;
  if (settings.threads > 0) plan.point.threads = settings.threads;
  if (settings.packet_bytes > 0) plan.point.packet_bytes = settings.packet_bytes;
}

/// Returns true if an in-place call with this plan would read data that are already overwritten. One-shot
/// reads the other ranks' inputs. If the vector is too long for packets, a rank would write its result into
/// its input while others still read it.
bool reads_what_it_overwrites(const LaunchPlan& plan, const Operation& operation, std::size_t bytes) {
  return plan.algorithm == kCollbenchNvshmemOneShot && operation.in_place &&
         bytes > static_cast<std::size_t>(plan.point.blocks) * kFlaggedBytesPerBlock;
}

bool equal(const LaunchPlan& a, const LaunchPlan& b) {
  return a.algorithm == b.algorithm && a.point.blocks == b.point.blocks &&
         a.point.threads == b.point.threads && a.point.packet_bytes == b.point.packet_bytes;
}

/// Adds plans with launch shapes near the default one: half and twice the number of blocks, other numbers of
/// threads, other packet sizes.
void add_points(std::vector<LaunchPlan>& plans, CollbenchNvshmemAlgorithm algorithm, std::size_t bytes,
                const NvshmemSettings& settings) {
  const CollbenchNvshmemPoint usual = usual_point(algorithm, bytes);
  const auto add = [&](int blocks, int threads, std::size_t packet) {
    LaunchPlan plan{algorithm,
                    {clamped_blocks(static_cast<std::size_t>(blocks)),
                     rounded_threads(static_cast<std::size_t>(threads), kMaxThreads), packet}};
    fix(plan, settings);
    if (std::none_of(plans.begin(), plans.end(), [&](const LaunchPlan& other) { return equal(other, plan); }))
      plans.push_back(plan);
  };
  add(usual.blocks, usual.threads, usual.packet_bytes);
  if (algorithm == kCollbenchNvshmemVendor) return;
  if (has_packet(algorithm)) {
    for (const int blocks : {32, 64, 128})
      for (const int threads : {512, 1024})
        for (const std::size_t packet : {64 * KiB, 128 * KiB, 256 * KiB}) add(blocks, threads, packet);
    return;
  }
  add(usual.blocks * 2, std::max(kMinThreads, usual.threads / 2), usual.packet_bytes);
  add((usual.blocks + 1) / 2, usual.threads * 2, usual.packet_bytes);
  add(usual.blocks * 2, usual.threads, usual.packet_bytes);
  add((usual.blocks + 1) / 2, usual.threads, usual.packet_bytes);
}

std::string size_words(std::size_t bytes) {
  return bytes % KiB == 0 ? std::to_string(bytes / KiB) + "K" : std::to_string(bytes);
}

}  // namespace

std::string format_shape(const LaunchPlan& plan) {
  if (plan.algorithm == kCollbenchNvshmemVendor) return "";
  const std::string text = std::to_string(plan.point.blocks) + "x" + std::to_string(plan.point.threads);
  return has_packet(plan.algorithm) ? text + "/" + size_words(plan.point.packet_bytes) : text;
}

LaunchPlan usual_plan(const Operation& operation, std::size_t bytes, int ranks,
                      const NvshmemSettings& settings) {
  LaunchPlan plan;
  plan.algorithm = settings.algorithm.empty() ? usual_algorithm(operation, bytes, ranks)
                                              : *find_algorithm(settings.algorithm);
  plan.point = usual_point(plan.algorithm, bytes);
  fix(plan, settings);
  if (reads_what_it_overwrites(plan, operation, bytes)) {
    plan = {kCollbenchNvshmemTwoShot, usual_point(kCollbenchNvshmemTwoShot, bytes)};
    fix(plan, settings);
  }
  return plan;
}

std::vector<LaunchPlan> candidates(const Operation& operation, std::size_t bytes, int ranks,
                                   const NvshmemSettings& settings) {
  std::vector<LaunchPlan> plans = {usual_plan(operation, bytes, ranks, settings)};
  const auto cannot = [&](const LaunchPlan& plan) {
    return reads_what_it_overwrites(plan, operation, bytes);
  };
  if (!settings.algorithm.empty()) {
    add_points(plans, plans.front().algorithm, bytes, settings);
    std::erase_if(plans, cannot);
    return plans;
  }
  for (const auto algorithm : algorithms_of(operation.kind)) {
    // Chains and NVSHMEM's own collectives are only for comparison; at no measured size was one of them the
    // fastest.
    if (algorithm == kCollbenchNvshmemSimpleRing || algorithm == kCollbenchNvshmemTree ||
        algorithm == kCollbenchNvshmemAlternatingRings || algorithm == kCollbenchNvshmemVendor)
      continue;
    if (algorithm == kCollbenchNvshmemOneShot && bytes > kMaxBlocks * kFlaggedBytesPerBlock) continue;
    if (algorithm == kCollbenchNvshmemTwoShot && (bytes < 32 * KiB || bytes > 64 * MiB)) continue;
    if (algorithm == kCollbenchNvshmemRing && bytes < MiB) continue;
    add_points(plans, algorithm, bytes, settings);
  }
  std::erase_if(plans, cannot);
  return plans;
}

int threads_of_caller(std::size_t bytes) { return rounded_threads(bytes / 16, kMaxThreads); }

CollbenchNvshmemPoint point_of_transfer(std::size_t bytes, const NvshmemSettings& settings) {
  LaunchPlan plan;
  plan.point = {clamped_blocks(bytes / (64 * KiB)), bytes <= 4 * KiB ? 64 : kMaxThreads, 64 * KiB};
  fix(plan, settings);
  return plan.point;
}

}  // namespace collbench::nvshmem
