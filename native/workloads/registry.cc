#include "workloads/registry.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace collbench {
namespace {

const WorkloadEntry* find(std::string_view name) {
  const auto rows = workloads();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const WorkloadEntry& entry) { return entry.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const EngineEntry& engine, const std::string& what, const std::string& offered) {
  throw Error(ErrorCode::kInvalidArgument, "the " + std::string(engine.name) + " engine does not offer " +
                                               what + "; it offers " + offered);
}

/// Restricts `limits` (allowed values by axis) to the values that `more` allows, too. An axis that `limits`
/// did not have gets the values of `more`. @param axes axes of the workload; others are ignored
void restrict_to(const AxisLimits& more, AxisLimits& limits, std::span<const std::string_view> axes) {
  for (const auto& [axis, values] : more) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) continue;
    const auto [kept, first] = limits.try_emplace(axis, values);
    if (first) continue;
    std::erase_if(kept->second, [&, &all = values](const std::string& value) {
      return std::find(all.begin(), all.end(), value) == all.end();
    });
  }
}

/// Returns the axis values that are allowed by any ability of `either` which the engine has; absent if the
/// engine has none of them.
std::optional<AxisLimits> any_of(const Abilities& abilities, std::span<const Ability> either) {
  std::optional<AxisLimits> all;
  for (const Ability one : either) {
    const auto found = abilities.find(one);
    if (found == abilities.end()) continue;
    if (!all) {
      all = found->second;
      continue;
    }
    // An axis that one of the abilities does not limit is not limited.
    std::erase_if(*all, [&](const auto& limit) { return !found->second.contains(limit.first); });
    for (auto& [axis, values] : *all)
      for (const std::string& value : found->second.at(axis))
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return all;
}

void check_offered(const EngineEntry& engine, const WorkloadRequest& request) {
  const WorkloadOffers offers = offers_of(engine);
  const auto axes = offers.find(request.name);
  if (axes == offers.end())
    refuse(engine, "workload " + request.name, join(offers, &WorkloadOffers::value_type::first));
  for (const auto& [axis, values] : axes->second) {
    const auto found = request.axes.values().find(axis);
    if (found == request.axes.values().end()) continue;
    const auto* text = std::get_if<std::string>(&found->second);
    if (text != nullptr && std::find(values.begin(), values.end(), *text) == values.end())
      refuse(engine, axis + " " + text->substr(0, 100), join(values));
  }
}

}  // namespace

std::optional<AxisLimits> limits_of(const Abilities& abilities, const WorkloadEntry& workload) {
  AxisLimits limits;
  for (const Ability one : workload.needs) {
    const auto found = abilities.find(one);
    if (found == abilities.end()) return std::nullopt;
    restrict_to(found->second, limits, workload.axes);
  }
  if (!workload.either.empty()) {
    const auto any = any_of(abilities, workload.either);
    if (!any) return std::nullopt;
    restrict_to(*any, limits, workload.axes);
  }
  if (std::any_of(limits.begin(), limits.end(), [](const auto& one) { return one.second.empty(); }))
    return std::nullopt;
  return limits;
}

WorkloadOffers offers_of(const EngineEntry& engine) {
  const Abilities abilities = engine.abilities();
  WorkloadOffers offers;
  for (const WorkloadEntry& workload : workloads())
    if (auto limits = limits_of(abilities, workload)) offers[std::string(workload.name)] = std::move(*limits);
  return offers;
}

std::unique_ptr<Workload> create_workload(const EngineEntry& engine, const WorkloadRequest& request,
                                          const WorkloadContext& context) {
  const WorkloadEntry* entry = find(request.name);
  if (entry == nullptr)
    throw Error(ErrorCode::kInvalidArgument,
                "workload '" + request.name.substr(0, 100) +
                    "' is not part of this build; there are: " + join(workloads(), &WorkloadEntry::name));
  request.axes.allow_only(entry->axes);
  check_offered(engine, request);
  WorkloadContext scripted = context;
  scripted.script = request.script;
  return entry->create(scripted, request.axes);
}

std::string describe(const WorkloadRequest& request) {
  const WorkloadEntry* entry = find(request.name);
  if (entry == nullptr) return request.name;
  try {
    request.axes.allow_only(entry->axes);
    return entry->describe(request.axes);
  } catch (const Error&) {
    return request.name;
  }
}

}  // namespace collbench
