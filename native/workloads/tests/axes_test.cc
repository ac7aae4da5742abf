#include "workloads/axes.h"

#include <doctest/doctest.h>

#include "core/error.h"

using namespace collbench;

namespace {

constexpr std::string_view kColours[] = {"red", "green"};

template <class Get>
std::string refusal(Get get) {
  try {
    get();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("axes give values by name") {
  const Axes axes{{"colour", "green"}, {"size", std::int64_t{7}}, {"both", true}, {"root", {}}};
  CHECK(axes.choice("colour", kColours) == 1);
  CHECK(axes.whole("size", 0, 7) == 7);
  CHECK(axes.flag("both"));
  CHECK(axes.is_null("root"));
  CHECK_FALSE(axes.is_null("size"));
}

TEST_CASE("a refusal names the axis, what it holds and what is allowed") {
  const Axes axes{{"colour", "blue"}, {"size", std::int64_t{7}}, {"root", {}}};
  CHECK(refusal([&] { (void)axes.choice("colour", kColours); }) ==
        "axis colour must be one of red, green, got \"blue\"");
  CHECK(refusal([&] { (void)axes.choice("root", kColours); }) ==
        "axis root must be one of red, green, got null");
  CHECK(refusal([&] { (void)axes.whole("size", 8, 9); }) ==
        "axis size must be an integer from 8 to 9, got 7");
  CHECK(refusal([&] { (void)axes.flag("size"); }) == "axis size must be true or false, got 7");
  CHECK(refusal([&] { (void)axes.flag("shape"); }) == "axis shape is missing");
  CHECK(refusal([&] { axes.allow_only(kColours); }) == "there is no axis colour here; there are: red, green");
}

TEST_CASE("sizes in words") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(std::size_t{64} << 20) == "64 MiB");
  CHECK(format_size(1536) == "1.5 KiB");
}
