#include "engines/nvshmem/reach.h"

#include <algorithm>

#include "engines/nvshmem/tuner.h"

namespace collbench::nvshmem {
namespace {

/// Below it the operation is mostly its way there and back, whatever block does it.
constexpr std::size_t kTunedBytes = std::size_t{256} << 10;
constexpr int kBulkThreads = 32;
constexpr std::size_t kMostBulk = std::size_t{16} << 10;  // that of device/copies.cuh

using Mover = OneSided::Mover;

bool copies(const OneSided& work) {
  return work.kind == OneSided::Kind::kPut || work.kind == OneSided::Kind::kGet;
}
bool by_bulk(const OneSided& work) { return copies(work) && work.mover == Mover::kBulk; }

std::size_t bytes_of(const OneSided& work) { return work.bytes * static_cast<std::size_t>(work.callers); }

bool same(const OneSided& a, const OneSided& b) {
  return a.kind == b.kind && a.mover == b.mover && a.scope == b.scope && a.callers == b.callers &&
         a.window == b.window && a.bytes == b.bytes;
}

}  // namespace

std::vector<CollbenchNvshmemPoint> points_of(const OneSided& work, const NvshmemSettings& settings) {
  if (by_bulk(work)) {
    const std::size_t fixed = std::min(settings.packet_bytes, kMostBulk);
    if (fixed > 0) return {{work.callers, kBulkThreads, fixed}};
    return {{work.callers, kBulkThreads, kMostBulk},
            {work.callers, kBulkThreads, kMostBulk / 2},
            {work.callers, kBulkThreads, kMostBulk / 4}};
  }
  if (settings.threads > 0) return {{work.callers, settings.threads, 0}};
  const int usual = threads_of_caller(work.bytes);
  std::vector<CollbenchNvshmemPoint> points = {{work.callers, usual, 0}};
  const bool chooses =
      copies(work) && work.scope == OneSided::Scope::kBlock && work.mover != Mover::kCopyEngine;
  if (chooses && bytes_of(work) >= kTunedBytes)
    for (const int threads : {128, 256, 512, 1024})
      if (threads < usual) points.push_back({work.callers, threads, 0});
  return points;
}

std::string words_of(const OneSided& work, const CollbenchNvshmemPoint& point) {
  if (work.scope != OneSided::Scope::kBlock || (copies(work) && work.mover == Mover::kCopyEngine)) return "";
  const std::string text = std::to_string(point.blocks) + "x" + std::to_string(point.threads);
  return by_bulk(work) ? text + "/" + std::to_string(point.packet_bytes / 1024) + "K" : text;
}

void Reach::queue(const OneSided& work) {
  const bool only_word = work.kind == OneSided::Kind::kTell || work.kind == OneSided::Kind::kAwait;
  launch(work, only_word ? CollbenchNvshmemPoint{1, 1, 0} : point_for(work));
}

std::string Reach::point_in_words(const OneSided& work) const {
  for (const auto& [one, point] : points_)
    if (same(one, work)) return words_of(work, point);
  return "";
}

/// By this rank alone: who is reached takes no part in it.
CollbenchNvshmemPoint Reach::point_for(const OneSided& work) {
  for (const auto& [one, point] : points_)
    if (same(one, work)) return point;
  const std::vector<CollbenchNvshmemPoint> points = points_of(work, settings_);
  CollbenchNvshmemPoint taken = points.front();
  if (points.size() > 1 && settings_.tune && timeline_ != nullptr) {
    std::vector<Plan> plans;
    for (const CollbenchNvshmemPoint& point : points) plans.push_back({kCollbenchNvshmemDirect, point});
    device_.drain();
    taken = fastest(plans, bytes_of(work) * static_cast<std::size_t>(work.repeats),
                    {device_, *timeline_, [&](const Plan& plan) { launch(work, plan.point); },
                     [](std::vector<float>&) {}})
                .point;
  }
  points_.emplace_back(work, taken);
  return taken;
}

void Reach::launch(const OneSided& work, const CollbenchNvshmemPoint& point) {
  CollbenchNvshmemOneSided made{};
  made.kind = static_cast<int>(work.kind);
  made.mover = static_cast<int>(work.mover);
  made.scope = static_cast<int>(work.scope);
  made.callers = work.callers;
  made.repeats = work.repeats;
  made.window = work.window;
  made.peer = work.peer;
  made.starts = work.starts ? 1 : 0;
  made.bytes = work.bytes;
  made.local = work.local;
  made.remote = work.remote;
  made.stream = device_.stream();
  made.threads = point.threads;
  made.packet_bytes = point.packet_bytes;
  kernels_.one_sided(made);
}

}  // namespace collbench::nvshmem
