#include "engines/nvshmem/tuning.h"

#include <algorithm>

namespace collbench::nvshmem {
namespace {

constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
constexpr std::size_t kFlaggedBytes = 8;    // of data in a packet
constexpr std::size_t kOneShotBytes = MiB;  // given to all others together: beyond it two-shot moves less
constexpr std::size_t kPlainTwoShotBytes = 4 * MiB;

bool has_packet(CollbenchNvshmemAlgorithm algorithm) {
  return algorithm == kCollbenchNvshmemRing || algorithm == kCollbenchNvshmemSimpleRing ||
         algorithm == kCollbenchNvshmemAlternatingRings || algorithm == kCollbenchNvshmemTree;
}

int rounded_threads(std::size_t wanted, int most) {
  return static_cast<int>(
      std::clamp<std::size_t>((wanted + 31) / 32 * 32, kLeastThreads, static_cast<std::size_t>(most)));
}
int clamped_blocks(std::size_t wanted) {
  return static_cast<int>(std::clamp<std::size_t>(wanted, 1, kMostBlocks));
}

/// One packet for each thread of blocks of `most` threads, as far as there are blocks.
CollbenchNvshmemPoint spread(std::size_t units, int most) {
  const int threads = rounded_threads(units, most);
  const auto each = static_cast<std::size_t>(threads);
  return {clamped_blocks((units + each - 1) / each), threads, kMostPacket};
}

CollbenchNvshmemAlgorithm usual_algorithm(const Operation& operation, std::size_t bytes, int ranks) {
  if (operation.kind != CollectiveKind::kAllreduce) return kCollbenchNvshmemDirect;
  if (bytes * static_cast<std::size_t>(ranks - 1) <= kOneShotBytes) return kCollbenchNvshmemOneShot;
  return bytes <= kPlainTwoShotBytes ? kCollbenchNvshmemTwoShot : kCollbenchNvshmemRing;
}

/// As measured on two H200s behind NVLink.
CollbenchNvshmemPoint usual_point(CollbenchNvshmemAlgorithm algorithm, std::size_t bytes) {
  if (has_packet(algorithm)) return {kMostBlocks, kMostThreads, kMostPacket};
  if (algorithm == kCollbenchNvshmemOneShot || algorithm == kCollbenchNvshmemTwoShot) {
    if (bytes <= kMostBlocks * kFlaggedBytesPerBlock)
      return spread((bytes + kFlaggedBytes - 1) / kFlaggedBytes, bytes <= 256 * KiB ? 512 : kMostThreads);
    return {64, kMostThreads, kMostPacket};
  }
  return spread((bytes + 15) / 16, 512);
}

void fix(Plan& plan, const NvshmemSettings& settings) {
  if (settings.blocks > 0) plan.point.blocks = settings.blocks;
  if (settings.threads > 0) plan.point.threads = settings.threads;
  if (settings.packet_bytes > 0) plan.point.packet_bytes = settings.packet_bytes;
}

/// Every rank reads what the others give: beyond what the packets of its blocks hold, a result in the place
/// of the input would change it under them.
bool reads_what_it_overwrites(const Plan& plan, const Operation& operation, std::size_t bytes) {
  return plan.algorithm == kCollbenchNvshmemOneShot && operation.in_place &&
         bytes > static_cast<std::size_t>(plan.point.blocks) * kFlaggedBytesPerBlock;
}

bool equal(const Plan& a, const Plan& b) {
  return a.algorithm == b.algorithm && a.point.blocks == b.point.blocks &&
         a.point.threads == b.point.threads && a.point.packet_bytes == b.point.packet_bytes;
}

/// Around the usual point: half and twice the grid, other blocks, other packets.
void add_points(std::vector<Plan>& plans, CollbenchNvshmemAlgorithm algorithm, std::size_t bytes,
                const NvshmemSettings& settings) {
  const CollbenchNvshmemPoint usual = usual_point(algorithm, bytes);
  const auto add = [&](int blocks, int threads, std::size_t packet) {
    Plan plan{algorithm,
              {clamped_blocks(static_cast<std::size_t>(blocks)),
               rounded_threads(static_cast<std::size_t>(threads), kMostThreads), packet}};
    fix(plan, settings);
    if (std::none_of(plans.begin(), plans.end(), [&](const Plan& other) { return equal(other, plan); }))
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
  add(usual.blocks * 2, std::max(kLeastThreads, usual.threads / 2), usual.packet_bytes);
  add((usual.blocks + 1) / 2, usual.threads * 2, usual.packet_bytes);
  add(usual.blocks * 2, usual.threads, usual.packet_bytes);
  add((usual.blocks + 1) / 2, usual.threads, usual.packet_bytes);
}

std::string size_words(std::size_t bytes) {
  return bytes % KiB == 0 ? std::to_string(bytes / KiB) + "K" : std::to_string(bytes);
}

}  // namespace

std::string words_of(const Plan& plan) {
  if (plan.algorithm == kCollbenchNvshmemVendor) return "";
  const std::string text = std::to_string(plan.point.blocks) + "x" + std::to_string(plan.point.threads);
  return has_packet(plan.algorithm) ? text + "/" + size_words(plan.point.packet_bytes) : text;
}

Plan usual_plan(const Operation& operation, std::size_t bytes, int ranks, const NvshmemSettings& settings) {
  Plan plan;
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

std::vector<Plan> candidates(const Operation& operation, std::size_t bytes, int ranks,
                             const NvshmemSettings& settings) {
  std::vector<Plan> plans = {usual_plan(operation, bytes, ranks, settings)};
  const auto cannot = [&](const Plan& plan) { return reads_what_it_overwrites(plan, operation, bytes); };
  if (!settings.algorithm.empty()) {
    add_points(plans, plans.front().algorithm, bytes, settings);
    std::erase_if(plans, cannot);
    return plans;
  }
  for (const auto algorithm : algorithms_of(operation.kind)) {
    // Chains and NVSHMEM's own are there to be compared with; no size was seen where one of them is fastest.
    if (algorithm == kCollbenchNvshmemSimpleRing || algorithm == kCollbenchNvshmemTree ||
        algorithm == kCollbenchNvshmemAlternatingRings || algorithm == kCollbenchNvshmemVendor)
      continue;
    if (algorithm == kCollbenchNvshmemOneShot && bytes > kMostBlocks * kFlaggedBytesPerBlock) continue;
    if (algorithm == kCollbenchNvshmemTwoShot && (bytes < 32 * KiB || bytes > 64 * MiB)) continue;
    if (algorithm == kCollbenchNvshmemRing && bytes < MiB) continue;
    add_points(plans, algorithm, bytes, settings);
  }
  std::erase_if(plans, cannot);
  return plans;
}

int threads_of_caller(std::size_t bytes) { return rounded_threads(bytes / 16, kMostThreads); }

CollbenchNvshmemPoint point_of_transfer(std::size_t bytes, const NvshmemSettings& settings) {
  Plan plan;
  plan.point = {clamped_blocks(bytes / (64 * KiB)), bytes <= 4 * KiB ? 64 : kMostThreads, 64 * KiB};
  fix(plan, settings);
  return plan.point;
}

}  // namespace collbench::nvshmem
