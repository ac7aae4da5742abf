#include <doctest/doctest.h>

#include "core/clock.h"
#include "core/dtype.h"
#include "core/error.h"

using namespace collbench;

TEST_CASE("data types have the sizes that their names say") {
  CHECK(size_of(DataType::kBfloat16) == 2);
  CHECK(kDataTypeNames[static_cast<int>(DataType::kBfloat16)] == "bfloat16");
}

TEST_CASE("a system error names the call, the reason and the number") {
  const Error e = system_error(ErrorCode::kUnavailable, "open /nowhere", 2);
  CHECK(std::string(e.what()) == "open /nowhere: No such file or directory (errno 2)");
  CHECK(std::string(error_code_name(e.code())) == "unavailable");
}

TEST_CASE("the clock never runs backwards") {
  const auto a = now_ns();
  CHECK(now_ns() >= a);
}
