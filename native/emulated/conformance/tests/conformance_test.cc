// The program against the emulations, and against an emulation with a fault.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

/// Shortens exits: TSan waits a second at the end of each process, and the program starts one per test.
void end_at_once() {
  const char* options = std::getenv("TSAN_OPTIONS");
  const std::string text = std::string(options == nullptr ? "" : options) + ":atexit_sleep_ms=0";
  setenv("TSAN_OPTIONS", text.c_str(), 1);
}

std::vector<json> rows_of(const std::string& arguments) {
  end_at_once();
  FILE* program = popen((std::string(PROGRAM) + " " + arguments).c_str(), "r");
  REQUIRE(program != nullptr);
  std::vector<json> rows;
  std::array<char, 8192> line;
  while (std::fgets(line.data(), line.size(), program) != nullptr) rows.push_back(json::parse(line.data()));
  CHECK(pclose(program) == 0);
  return rows;
}

std::size_t count(const std::vector<json>& rows, const std::string& outcome) {
  std::size_t number = 0;
  for (const json& row : rows) number += row["outcome"] == outcome;
  return number;
}

void all_pass(const std::vector<json>& rows) {
  CHECK(rows.size() > 80);
  for (const json& row : rows) {
    INFO(row.dump());
    CHECK(row["outcome"] == "passed");
  }
}

}  // namespace

TEST_CASE("softmlx5's look-alikes pass every test of the mlx5 interfaces") {
  all_pass(rows_of("mlx5 " SOFTMLX5_LOOKALIKES));
}

TEST_CASE("libsoftmlx5.so alone passes, except that it has no symbol versions") {
  const auto rows = rows_of("mlx5 " SOFTMLX5);
  CHECK(count(rows, "skipped") == 1);
  for (const json& row : rows) {
    INFO(row.dump());
    CHECK(row["outcome"] != "failed");
  }
}

TEST_CASE("our own net plugin does what NCCL expects, and a plugin of odd ways all but what it leaves out") {
  const auto own = rows_of("plugin " OWN_PLUGIN);
  CHECK(own.size() > 20);
  for (const json& row : own) {
    INFO(row.dump());
    CHECK(row["outcome"] != "failed");
  }
  for (const json& row : rows_of("plugin " FOREIGN_PLUGIN " data")) {
    INFO(row.dump());
    CHECK(row["outcome"] == (row["name"] == "writes the size of what arrived" ? "skipped" : "passed"));
  }
}

TEST_CASE("a plugin whose calls wait for the other end is offered messages at both ends by turns") {
  for (const char* way : {"offer-first", "needs-receive", "done-when-taken", "tests-in-order", "prints"})
    for (const char* group : {"data", "cost"}) {
      setenv("FI_FIXTURE", way, 1);
      const auto rows = rows_of(std::string("plugin " FOREIGN_PLUGIN " ") + group);
      unsetenv("FI_FIXTURE");
      CHECK(rows.size() > 3);
      for (const json& row : rows) {
        INFO(way << ": " << row.dump());
        CHECK(row["outcome"] != "failed");
      }
    }
}

TEST_CASE("faults of a net plugin are failed tests with what was seen") {
  const auto first_failed = [](const char* fault, const std::string& group) {
    setenv("FI_FIXTURE", fault, 1);
    std::string seen = "nothing failed";
    for (const json& row : rows_of("plugin " FOREIGN_PLUGIN " " + group))
      if (row["outcome"] == "failed" && seen == "nothing failed") seen = row["seen"];
    unsetenv("FI_FIXTURE");
    return seen;
  };
  CHECK(first_failed("init-fails", "init").find("init failed with ncclSystemError") != std::string::npos);
  CHECK(first_failed("init-crashes", "data") != "nothing failed");
  CHECK(first_failed("no-test", "table").find("has no function test") != std::string::npos);
  CHECK(first_failed("flips", "data").find("the first wrong one is byte") != std::string::npos);
  CHECK(first_failed("wrong-sizes", "data") == "101");
  CHECK(first_failed("early-receive", "data").find("when test said that irecv was done") !=
        std::string::npos);
  CHECK(first_failed("early-send", "data").find("after test said that isend was done") != std::string::npos);
  CHECK(first_failed("registers-little", "data").find("regMr of 3145729 bytes failed with ncclResult 99") !=
        std::string::npos);
  CHECK(first_failed("no-name", "init") == "no name");
  CHECK(first_failed("close-crashes", "close") != "nothing failed");  // with sanitizers the symptom varies
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(first_failed("keeps-requests", "growth").find("KiB of memory more in each of 8 times") !=
        std::string::npos);
#endif
  CHECK(first_failed("keeps-descriptors", "growth").find(" file descriptors more in each of 8 times") !=
        std::string::npos);
  CHECK(first_failed("dereg-fails", "close").find("deregMr failed with ncclInternalError") !=
        std::string::npos);
}

TEST_CASE("softntb passes every test of the SISCI API, with one adapter and with two") {
  all_pass(rows_of("sisci " SOFTNTB));
  all_pass(rows_of("sisci " SOFTNTB " '' 0,1"));
}

TEST_CASE("faults of softntb are found by the tests that they concern") {
  const auto failed_groups = [](const char* fault) {
    REQUIRE(setenv("SOFTNTB_FAULT", fault, 1) == 0);
    const auto rows = rows_of("sisci " SOFTNTB);
    unsetenv("SOFTNTB_FAULT");
    std::set<std::string> groups;
    for (const json& row : rows) {
      if (row["outcome"] != "failed") continue;
      groups.insert(row["group"].get<std::string>());
      MESSAGE(row.dump());
    }
    return json(groups).dump();
  };
  CHECK(failed_groups("bit-flip:every=1") == R"(["dma","dma-refuse","pio","processes"])");
  CHECK(failed_groups("no-iommu") == R"(["dma"])");
}

TEST_CASE("an adapter that is not there skips every test of the SISCI API with the reason") {
  const auto rows = rows_of("sisci " SOFTNTB " '' 9999");
  CHECK(count(rows, "skipped") == rows.size());
  CHECK(rows.front()["seen"].get<std::string>().find("adapter 9999") != std::string::npos);
}

TEST_CASE("a flipped bit is found, and rows say what was expected and seen") {
  REQUIRE(setenv("SOFTMLX5_FAULT", "bit-flip:every=1", 1) == 0);
  const auto rows = rows_of("mlx5 " SOFTMLX5);
  unsetenv("SOFTMLX5_FAULT");
  CHECK(count(rows, "failed") > 5);
  for (const json& row : rows) {
    if (row["outcome"] != "failed") continue;
    CHECK(row["expected"] != "");
    CHECK(row["seen"] != "");
  }
}

TEST_CASE("a library that does not load fails every test with the loader's reason") {
  for (const char* interface : {"mlx5", "sisci"}) {
    const auto rows = rows_of(std::string(interface) + " /nowhere/lib.so");
    CHECK(count(rows, "failed") == rows.size());
    CHECK(rows.front()["seen"].get<std::string>().find("/nowhere") != std::string::npos);
  }
}

TEST_CASE("random work, valid and garbage, leaves a queue pair beside it right") {
  for (const char* seed : {"1", "2"})
    CHECK(std::system((std::string(FUZZ) + " " SOFTMLX5 " " + seed + " 20000").c_str()) == 0);
}
