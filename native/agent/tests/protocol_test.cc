#include "agent/protocol/protocol.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "agent/base64.h"
#include "agent/forensics/forensics.h"
#include "agent/progress_watch.h"
#include "core/error.h"

using namespace collbench;
using namespace collbench::agent;

namespace {

const char* kMeasure =
    R"({"type":"measure","launch":2,"block":7,"workload":"collective","axes":{"collective":"reduce","root":null,)"
    R"("inPlace":true,"bytes":1e3},"trial":{"kind":"isolated","firstIteration":40,"warmup":3,"minSamples":4,)"
    R"("maxSamples":90,"targetNs":5000000,"batch":1,"checkEvery":8,"check":true},"release":true,"deadlineMs":1500})";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string refusal(const std::string& line) {
  try {
    parse_controller_message(line);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kProtocol);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("measure carries workload, axes and trial") {
  const auto message = std::get<MeasureRequest>(parse_controller_message(kMeasure));
  CHECK(message.launch == 2);
  CHECK(message.deadline_ns == 1'500'000'000);
  CHECK(message.spec.release);
  CHECK(message.spec.check);
  CHECK(message.spec.workload == WorkloadRequest{"collective",
                                                 {{"collective", "reduce"},
                                                  {"root", std::monostate()},
                                                  {"inPlace", true},
                                                  {"bytes", std::int64_t{1000}}}});
  CHECK(message.spec.trial.kind == TrialKind::kIsolated);
  CHECK(message.spec.trial.block == 7);
  CHECK(message.spec.trial.first_iteration == 40);
  CHECK(message.spec.trial.min_samples == 4);
  CHECK(message.spec.trial.max_samples == 90);
  CHECK(message.spec.trial.target_ns == 5'000'000);
  CHECK(message.spec.trial.check_every == 8);
}

TEST_CASE("a refusal names the field, what it held and what is allowed") {
  CHECK(refusal(with(kMeasure, "\"isolated\"", "\"sideways\"")) ==
        "measure.trial.kind must be one of isolated, pipelined, got \"sideways\"");
  CHECK(refusal(with(kMeasure, "\"firstIteration\":40", "\"firstIteration\":-1"))
            .starts_with("measure.trial.firstIteration must be an integer from 0 to "));
  CHECK(refusal(with(kMeasure, "1e3", "1.5")).find("got 1.5") != std::string::npos);
  CHECK(refusal(with(kMeasure, "1e3", "[1]")) ==
        "measure.axes.bytes must be a string, an integer, true, false or null, got [1]");
  CHECK(refusal(with(kMeasure, "\"maxSamples\":90", "\"maxSamples\":3")) ==
        "measure.trial.maxSamples must be at least minSamples (4), got 3");
  CHECK(refusal("[]").starts_with("not a JSON object"));
  CHECK(refusal("{\"type\":1}") == "message.type must be a string, got 1");
}

TEST_CASE("launch: options by name, plugin paths taken off the transport, ranks checked") {
  const std::string launch =
      R"({"type":"launch","launch":1,"engine":"cpu","transport":"plugin:/lib/x.so","options":{"interface":"lo",)"
      R"("streams":2,"pathProof":false},"algorithm":null,"ranks":4,"localRanks":[3,1],"seed":9,"environment":{"A":"b"},)"
      R"("deadlineMs":10})";
  const auto message = std::get<LaunchRequest>(parse_controller_message(launch));
  CHECK(message.transport == "plugin");
  CHECK(message.options.library == "/lib/x.so");
  CHECK(message.options.interface_name == "lo");
  CHECK(message.options.streams == 2);
  CHECK_FALSE(message.options.path_proof);
  CHECK_FALSE(message.algorithm.has_value());
  CHECK(message.local_ranks == std::vector<int>{1, 3});
  CHECK(message.environment.at("A") == "b");
  CHECK_FALSE(message.together.has_value());
  const std::string together = with(launch, R"("seed")", R"("together":{"ranks":6,"before":4},"seed")");
  CHECK(std::get<LaunchRequest>(parse_controller_message(together)).together->before == 4);
  CHECK(refusal(with(together, R"("before":4)", R"("before":5)")) ==
        "launch.together.before must be an integer from 0 to 4, got 5");
  CHECK(refusal(with(launch, "[3,1]", "[3,4]")) ==
        "launch.localRanks[1] must be an integer from 0 to 3, got 4");
  CHECK(refusal(with(launch, "[3,1]", "[3,3]")).find("different ranks") != std::string::npos);
  CHECK(refusal(with(launch, "\"streams\"", "\"strems\""))
            .starts_with("launch.options.strems is no transport option"));
  CHECK(refusal(with(launch, "\"A\"", "\"A=\"")).find("names without '='") != std::string::npos);
}

TEST_CASE("fields that are not known are ignored") {
  CHECK(std::get<StopRequest>(parse_controller_message(R"({"type":"stop","launch":3,"why":"later version"})"))
            .launch == 3);
}

TEST_CASE("what a rank writes is what the agent reads") {
  CHECK(std::get<RankExchange>(parse_rank_message(to_line(RankExchange{"k\"ey", "data"}))).key == "k\"ey");
  const auto failed =
      std::get<RankFailed>(parse_rank_message(to_line(RankFailed{"internal", "measuring", "bad \xff byte"})));
  CHECK(failed.code == "internal");
  CHECK(failed.message.starts_with("bad "));
  RankOutcome outcome;
  outcome.rank = 1;
  outcome.samples.start_ns = {5, 6};
  outcome.samples.late = {0, 1};
  outcome.wrong.first = FirstWrong{1, 2, "18446744073709551615", "0", "poison"};
  const auto measured =
      std::get<RankMeasured>(parse_rank_message(to_line(RankMeasured{3, outcome_json(outcome)})));
  CHECK(measured.block == 3);
  CHECK(measured.outcome_json.find(R"("wanted":"18446744073709551615")") != std::string::npos);
  CHECK(measured.outcome_json.find(R"("late":[0,1])") != std::string::npos);
}

TEST_CASE("base64 keeps every byte and refuses what it did not write") {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    CHECK(base64_decode(base64_encode(all)) == all);
    all += static_cast<char>(i);
  }
  CHECK(base64_encode("Ma") == "TWE=");
  CHECK_THROWS_AS(base64_decode("TWE"), Error);
  CHECK_THROWS_AS(base64_decode("T*E="), Error);
}

TEST_CASE("the deadline of a block counts from the last progress of any rank") {
  using Finding = ProgressWatch::Finding;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto rank = [](std::int64_t operations, std::int64_t idle_ns) {
    RankReport report;
    report.iterations_done = operations;
    report.idle_ns = idle_ns;
    return report;
  };
  // The block begins at 100 s; its deadline is 20 s.
  ProgressWatch watch(100 * kSecond, 20 * kSecond);
  CHECK(watch.due_ns() > 100 * kSecond);
  CHECK(watch.due_ns() < 110 * kSecond);
  SUBCASE("ranks that do not begin are found at the deadline") {
    CHECK(watch.look({rank(0, 50 * kSecond)}, 119 * kSecond) == Finding::kNothingNew);
    CHECK(watch.due_ns() == 120 * kSecond);
    CHECK(watch.look({rank(0, 51 * kSecond)}, 120 * kSecond) == Finding::kHang);
  }
  SUBCASE("a new phase of one rank is progress, from its beginning on") {
    CHECK(watch.look({rank(0, 50 * kSecond), rank(0, 2 * kSecond)}, 110 * kSecond) == Finding::kProgress);
    CHECK(watch.look({rank(0, 67 * kSecond), rank(0, 19 * kSecond)}, 127 * kSecond) == Finding::kNothingNew);
    CHECK(watch.due_ns() == 128 * kSecond);
    CHECK(watch.look({rank(0, 68 * kSecond), rank(0, 20 * kSecond)}, 128 * kSecond) == Finding::kHang);
  }
  SUBCASE("completed operations are progress, also within one phase") {
    for (std::int64_t at = 1; at < 10; ++at)
      CHECK(watch.look({rank(at, 10 * at * kSecond)}, (100 + 10 * at) * kSecond) == Finding::kProgress);
    CHECK(watch.look({rank(9, 109 * kSecond)}, 209 * kSecond) == Finding::kNothingNew);
    CHECK(watch.look({rank(9, 110 * kSecond)}, 210 * kSecond) == Finding::kHang);
  }
}

TEST_CASE("sentences") {
  CHECK(describe_death(9) == "was killed by SIGKILL");
  CHECK(describe_death(7 << 8) == "exited with code 7");
  CHECK(format_seconds(250'000'000) == "250 ms");
  CHECK(format_seconds(1'500'000'000) == "1.5 s");
  CHECK(format_seconds(99'600'000'000) == "99.6 s");
  CHECK(format_seconds(120'000'000'000) == "120 s");
  CHECK(format_seconds(999'700'000'000) == "1000 s");
  CHECK(format_seconds(86'400'000'000'000) == "86400 s");
}

TEST_CASE("sample: interval and ranks in their ranges, null sources are all") {
  const std::string line = R"({"type":"sample","intervalUs":200000,"sources":null,"ranks":[3,1]})";
  const auto message = std::get<SampleRequest>(parse_controller_message(line));
  CHECK(message.interval_ns == 200'000'000);
  CHECK_FALSE(message.sources.has_value());
  CHECK(message.ranks == std::vector<int>{1, 3});
  CHECK(refusal(with(line, "200000", "999")) ==
        "sample.intervalUs must be an integer from 1000 to 10000000, got 999");
  CHECK(refusal(with(line, "null", "[]")).find("sample.sources") != std::string::npos);
  CHECK(refusal(with(line, "null", "[1]")) == "sample.sources[0] must be a string, got 1");
  CHECK(refusal(with(line, "[3,1]", "[1,1]")).find("different ranks") != std::string::npos);
  CHECK(refusal(with(line, "[3,1]", "[-1]")).find("got -1") != std::string::npos);
}

TEST_CASE("samples: whole numbers as they are, what is not there is null") {
  metrics::RowRing ring(2, 4);
  for (const double last : {0.25, 18446744073709551615.0}) {
    metrics::RowRing::Row* row = ring.free_row();
    row->start_ns = 9'000'000'000'000'001;
    row->cost_ns = 7;
    row->values[0] = 123456789012;
    row->values[1] = std::numeric_limits<double>::quiet_NaN();
    row->values[2] = -3;
    row->values[3] = last;
    ring.publish();
  }
  CHECK(ring.free_row() == nullptr);
  CHECK(samples_line(ring, 2) ==
        R"({"type":"samples","startNs":[9000000000000001,9000000000000001],"costNs":[7,7],"values":)"
        "[[123456789012,null,-3,0.25],[123456789012,null,-3,18446744073709551616]]}\n");
}
