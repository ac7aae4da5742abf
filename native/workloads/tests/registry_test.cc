#include "workloads/registry.h"

#include <doctest/doctest.h>

using namespace collbench;

namespace {

constexpr Ability kBoth[] = {Ability::kCollectives, Ability::kMessages};
constexpr Ability kReversed[] = {Ability::kMessages, Ability::kCollectives};
constexpr std::string_view kAxes[] = {"dtype", "op"};

std::optional<AxisLimits> limits(std::span<const Ability> needs, const Abilities& abilities) {
  return limits_of(abilities, {"made", needs, kAxes, nullptr, nullptr});
}

}  // namespace

TEST_CASE("an axis that several abilities limit takes what all of them have, in whatever order") {
  const Abilities abilities{
      {Ability::kCollectives, {{"dtype", {"int8", "int32", "float32"}}}},
      {Ability::kMessages, {{"dtype", {"int32", "float32", "uint8"}}, {"op", {"put"}}}}};
  const AxisLimits wanted{{"dtype", {"int32", "float32"}}, {"op", {"put"}}};
  CHECK(limits(kBoth, abilities) == wanted);
  CHECK(limits(kReversed, abilities) == wanted);
}

TEST_CASE("limits of axes that a workload does not have are none of its own") {
  CHECK(limits(kBoth, {{Ability::kCollectives, {{"shape", {"ring"}}}}, {Ability::kMessages, {}}}) ==
        AxisLimits{});
}

TEST_CASE("without an ability, or a value of an axis, there is no offer") {
  CHECK_FALSE(limits(kBoth, {{Ability::kMessages, {}}}).has_value());
  CHECK_FALSE(
      limits(kBoth, {{Ability::kCollectives, {{"op", {"sum"}}}}, {Ability::kMessages, {{"op", {"put"}}}}})
          .has_value());
}

TEST_CASE("of abilities of which one is enough, an axis takes what any of them has") {
  constexpr Ability kNeed[] = {Ability::kMessages};
  constexpr Ability kEither[] = {Ability::kCollectives, Ability::kHostClock};
  const auto with = [&](const Abilities& abilities) {
    return limits_of(abilities, {"made", kNeed, kAxes, nullptr, nullptr, kEither});
  };
  const Abilities both{{Ability::kMessages, {}},
                       {Ability::kCollectives, {{"op", {"sum", "max"}}, {"dtype", {"int8"}}}},
                       {Ability::kHostClock, {{"op", {"put", "sum"}}}}};
  CHECK(with(both) == AxisLimits{{"op", {"sum", "max", "put"}}});
  CHECK(with({{Ability::kMessages, {}}, {Ability::kHostClock, {{"op", {"put"}}}}}) ==
        AxisLimits{{"op", {"put"}}});
  CHECK_FALSE(with({{Ability::kMessages, {}}}).has_value());
  CHECK_FALSE(with({{Ability::kCollectives, {}}}).has_value());
}
