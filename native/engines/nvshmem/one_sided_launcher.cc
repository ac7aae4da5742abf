#include "engines/nvshmem/one_sided_launcher.h"

#include <algorithm>

#include "engines/nvshmem/tuner.h"

namespace collbench::nvshmem {
namespace {

/// Operations with fewer bytes are not tuned: their time is mostly latency, with any launch shape.
constexpr std::size_t kTunedBytes = std::size_t{256} << 10;
constexpr int kBulkThreads = 32;
constexpr std::size_t kMaxBulk = std::size_t{16} << 10;  // Same value as in device/copies.cuh.

using CopyMethod = OneSided::CopyMethod;

bool copies(const OneSided& work) {
  return work.kind == OneSided::Action::kPut || work.kind == OneSided::Action::kGet;
}
bool by_bulk(const OneSided& work) { return copies(work) && work.mover == CopyMethod::kBulk; }

std::size_t bytes_of(const OneSided& work) { return work.bytes * static_cast<std::size_t>(work.callers); }

bool same(const OneSided& a, const OneSided& b) {
  return a.kind == b.kind && a.mover == b.mover && a.scope == b.scope && a.callers == b.callers &&
         a.window == b.window && a.bytes == b.bytes;
}

}  // namespace

std::vector<CollbenchNvshmemPoint> points_of(const OneSided& work, const NvshmemSettings& settings) {
  if (by_bulk(work)) {
    const std::size_t fixed = std::min(settings.packet_bytes, kMaxBulk);
    if (fixed > 0) return {{work.callers, kBulkThreads, fixed}};
    return {{work.callers, kBulkThreads, kMaxBulk},
            {work.callers, kBulkThreads, kMaxBulk / 2},
            {work.callers, kBulkThreads, kMaxBulk / 4}};
  }
  if (settings.threads > 0) return {{work.callers, settings.threads, 0}};
  const int usual = threads_of_caller(work.bytes);
  std::vector<CollbenchNvshmemPoint> points = {{work.callers, usual, 0}};
  const bool chooses =
      copies(work) && work.scope == OneSided::Scope::kBlock && work.mover != CopyMethod::kCopyEngine;
  if (chooses && bytes_of(work) >= kTunedBytes)
    for (const int threads : {128, 256, 512, 1024})
      if (threads < usual) points.push_back({work.callers, threads, 0});
  return points;
}

std::string format_shape(const OneSided& work, const CollbenchNvshmemPoint& point) {
  if (work.scope != OneSided::Scope::kBlock || (copies(work) && work.mover == CopyMethod::kCopyEngine))
    return "";
  const std::string text = std::to_string(point.blocks) + "x" + std::to_string(point.threads);
  return by_bulk(work) ? text + "/" + std::to_string(point.packet_bytes / 1024) + "K" : text;
}

void OneSidedLauncher::queue(const OneSided& work) {
  const bool only_word = work.kind == OneSided::Action::kNotify || work.kind == OneSided::Action::kAwait;
  launch(work, only_word ? CollbenchNvshmemPoint{1, 1, 0} : point_for(work));
}

std::string OneSidedLauncher::point_in_words(const OneSided& work) const {
  for (const auto& [one, point] : points_)
    if (same(one, work)) return format_shape(work, point);
  return "";
}

/// Returns the launch shape for this work, tuned at its first use and then remembered. This rank chooses
/// alone, because the peer takes no part in the operations that are tuned (puts and gets).
CollbenchNvshmemPoint OneSidedLauncher::point_for(const OneSided& work) {
  for (const auto& [one, point] : points_)
    if (same(one, work)) return point;
  const std::vector<CollbenchNvshmemPoint> points = points_of(work, settings_);
  CollbenchNvshmemPoint taken = points.front();
  if (points.size() > 1 && settings_.tune && timeline_ != nullptr) {
    std::vector<LaunchPlan> plans;
    for (const CollbenchNvshmemPoint& point : points) plans.push_back({kCollbenchNvshmemDirect, point});
    device_.drain();
    taken = fastest(plans, bytes_of(work) * static_cast<std::size_t>(work.repeats),
                    {device_, *timeline_, [&](const LaunchPlan& plan) { launch(work, plan.point); },
                     [](std::vector<float>&) {}})
                .point;
  }
  points_.emplace_back(work, taken);
  return taken;
}

void OneSidedLauncher::launch(const OneSided& work, const CollbenchNvshmemPoint& point) {
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
