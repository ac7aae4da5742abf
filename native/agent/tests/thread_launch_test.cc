// Tests of ranks as threads, with the mock engine: the same messages as from an agent, and no thread left
// behind.
#include "agent/thread_launch.h"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "agent/tests/growing_deadlines.h"
#include "agent/tests/mock_engine.h"
#include "core/error.h"

using nlohmann::json;
using namespace collbench;
using namespace collbench::agent;

namespace {

/// Collects the messages of a launch; receive() waits for the next one, up to a limit.
class Inbox {
 public:
  ThreadLaunch::Emit emit() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      messages_.push_back(json::parse(line));
      arrived_.notify_all();
    };
  }
  json receive() {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, std::chrono::seconds(120), [this] { return !messages_.empty(); }))
      throw std::runtime_error("the launch says nothing");
    json message = messages_.front();
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<json> messages_;
};

LaunchRequest launch_of(int ranks, const std::string& algorithm) {
  LaunchRequest request;
  request.launch = 5;
  request.deadline_ns = 60'000'000'000;
  request.engine = "mock";
  request.transport = "none";
  request.algorithm = algorithm;
  request.ranks = ranks;
  for (int r = 0; r < ranks; ++r) request.local_ranks.push_back(r);
  return request;
}

MeasureRequest block_of(std::uint64_t block, std::int64_t deadline_ns = 60'000'000'000) {
  MeasureRequest request;
  request.launch = 5;
  request.deadline_ns = deadline_ns;
  request.spec.workload = {"collective",
                           {{"collective", "allreduce"},
                            {"dtype", "float32"},
                            {"op", "sum"},
                            {"root", std::monostate()},
                            {"inPlace", false},
                            {"bytes", std::int64_t{400}}}};
  request.spec.trial.block = block;
  request.spec.trial.max_samples = 5;
  request.spec.trial.target_ns = 0;
  request.spec.check = false;
  return request;
}

}  // namespace

TEST_CASE("threads measure blocks and stop like processes") {
  Inbox inbox;
  ThreadLaunch launch(launch_of(3, ""), mock_engines(), inbox.emit());
  CHECK(inbox.receive()["type"] == "ready");
  for (std::uint64_t block = 0; block < 3; ++block) {
    launch.measure(block_of(block));
    const json measured = inbox.receive();
    CHECK(measured["type"] == "measured");
    CHECK(measured["block"] == block);
    REQUIRE(measured["ranks"].size() == 3);
    for (int r = 0; r < 3; ++r) {
      CHECK(measured["ranks"][static_cast<std::size_t>(r)]["rank"] == r);
      // The number is larger if ranks came late to a start: such samples are kept and replaced.
      CHECK(measured["ranks"][static_cast<std::size_t>(r)]["endNs"].size() >= 5);
    }
  }
  launch.stop();
  CHECK(inbox.receive()["type"] == "stopped");
}

TEST_CASE("one rank's failure ends all and names that rank") {
  Inbox inbox;
  ThreadLaunch launch(launch_of(3, "fail:1:2"), mock_engines(), inbox.emit());
  CHECK(inbox.receive()["type"] == "ready");
  launch.measure(block_of(0));
  const json failed = inbox.receive();
  CHECK(failed["type"] == "failed");
  CHECK(failed["kind"] == "rank-error");
  CHECK(failed["rank"] == 1);
  CHECK(failed["reason"].get<std::string>().find("mock failure") != std::string::npos);
}

TEST_CASE("abort frees a rank that waits, and gives the reason back") {
  Inbox inbox;
  ThreadLaunch launch(launch_of(2, "wait:1:0"), mock_engines(), inbox.emit());
  CHECK(inbox.receive()["type"] == "ready");
  launch.measure(block_of(0));
  launch.abort(FailureKind::kHang, "timeout", "too slow");
  const json failed = inbox.receive();
  CHECK(failed["kind"] == "hang");
  CHECK(failed["code"] == "timeout");
  CHECK(failed["reason"] == "too slow");
  CHECK(failed["ranks"].size() == 2);
}

TEST_CASE("a rank that hangs is named") {
  json failed;
  for (const int deadline_ms : kGrowingDeadlinesMs) {
    Inbox inbox;
    ThreadLaunch launch(launch_of(3, "wait:1:2"), mock_engines(), inbox.emit());
    CHECK(inbox.receive()["type"] == "ready");
    launch.measure(block_of(0, deadline_ms * std::int64_t{1'000'000}));
    failed = inbox.receive();
    if (failed["rank"] == 1 && failed["reason"].get<std::string>().find(" operation 3 ") != std::string::npos)
      break;
  }
  CAPTURE(failed.dump(1));
  CHECK(failed["kind"] == "hang");
  CHECK(failed["code"] == "timeout");
  CHECK(failed["rank"] == 1);
  CHECK(failed["reason"].get<std::string>().starts_with("it stopped answering in operation 3 (deadline "));
}

TEST_CASE("ranks that do not connect in time are a hang; a thread that cannot be ended is reported") {
  Inbox inbox;
  LaunchRequest request = launch_of(2, "hang-setup:1");
  request.deadline_ns = 1'000'000;
  ThreadLaunch launch(request, mock_engines(), inbox.emit());
  const json failed = inbox.receive();
  CHECK(failed["kind"] == "hang");
  CHECK(failed["activity"] == "connecting");
  CHECK(failed["reason"] == "the ranks did not connect within 1 ms; a rank thread did not end");
}

TEST_CASE("a block whose ranks make progress may take longer than its deadline") {
  json measured;
  for (const int deadline_ms : kGrowingDeadlinesMs) {
    Inbox inbox;
    const std::string pause_ms = std::to_string(3 * deadline_ms / 10);
    ThreadLaunch launch(launch_of(2, "slow:1:" + pause_ms), mock_engines(), inbox.emit());
    CHECK(inbox.receive()["type"] == "ready");
    launch.measure(block_of(0, deadline_ms * std::int64_t{1'000'000}));
    measured = inbox.receive();
    if (measured["type"] == "measured") break;
  }
  CAPTURE(measured.dump(1));
  CHECK(measured["type"] == "measured");
}

TEST_CASE("an engine that is not there fails the launch") {
  Inbox inbox;
  LaunchRequest request = launch_of(2, "");
  request.engine = "nccl";
  ThreadLaunch launch(request, mock_engines(), inbox.emit());
  const json failed = inbox.receive();
  CHECK(failed["kind"] == "setup");
  CHECK(failed["reason"].get<std::string>().find("'nccl'") != std::string::npos);
}

TEST_CASE("measure before the ranks are idle is a protocol error") {
  Inbox inbox;
  ThreadLaunch launch(launch_of(2, "wait:0:0"), mock_engines(), inbox.emit());
  CHECK(inbox.receive()["type"] == "ready");
  launch.measure(block_of(0));
  CHECK_THROWS_AS(launch.measure(block_of(1)), Error);
}

TEST_CASE("a launch can be dropped in the middle of a block") {
  Inbox inbox;
  {
    ThreadLaunch launch(launch_of(2, "wait:0:0"), mock_engines(), inbox.emit());
    CHECK(inbox.receive()["type"] == "ready");
    launch.measure(block_of(0));
  }
  CHECK(inbox.receive()["type"] == "stopped");
}
