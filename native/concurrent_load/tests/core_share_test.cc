// Tests of which cores the load of a rank uses.
#include "concurrent_load/core_share.h"

#include <doctest/doctest.h>

using namespace collbench::concurrent_load;

namespace {
using Cores = std::vector<int>;
const std::optional<int> kNone;
}  // namespace

TEST_CASE("cores without a rank come first, the rank's own last") {
  CHECK(cores_of_share({0, 1, 2, 3, 4, 5}, {0, 1}, 0) == Cores{2, 4, 0});
  CHECK(cores_of_share({0, 1, 2, 3, 4, 5}, {0, 1}, 1) == Cores{3, 5, 1});
}

TEST_CASE("every core belongs to one share") {
  CHECK(cores_of_share({4, 5, 6, 7, 8}, {5, 7}, 0) == Cores{4, 8, 5});
  CHECK(cores_of_share({4, 5, 6, 7, 8}, {5, 7}, 1) == Cores{6, 7});
}

TEST_CASE("ranks on all cores have their own alone") { CHECK(cores_of_share({0, 1}, {0, 1}, 1) == Cores{1}); }

TEST_CASE("ranks that are bound to none share all of them") {
  CHECK(cores_of_share({0, 1, 2, 3}, {kNone, kNone}, 1) == Cores{1, 3});
  CHECK(cores_of_share({0, 1}, {kNone, kNone, kNone, kNone}, 3) == Cores{1});
}

TEST_CASE("without any core known there is no share") { CHECK(cores_of_share({}, {kNone}, 0).empty()); }
