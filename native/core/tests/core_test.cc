#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "core/clock.h"
#include "core/dtype.h"
#include "core/error.h"

using namespace collbench;

TEST_CASE("every data type and op parses back from its name") {
  for (int i = 0; i < kDataTypeCount; ++i)
    CHECK(parse_data_type(kDataTypes[i].name) == static_cast<DataType>(i));
  for (int i = 0; i < kReduceOpCount; ++i) CHECK(parse_reduce_op(kReduceOps[i]) == static_cast<ReduceOp>(i));
  CHECK_FALSE(parse_data_type("float").has_value());
  CHECK(size_of(DataType::kBfloat16) == 2);
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
