#include "doctest/doctest.h"
#include "recorder/nccl/open_calls.h"
#include "recorder/nccl/tagged_handle.h"
#include "recorder/nccl/timing_schedule.h"
#include "recorder/tests/support.h"

using namespace collbench::recorder;        // NOLINT
using namespace collbench::recorder::test;  // NOLINT

namespace {

Variables recording(const Folder& folder) {
  return {{"NCCL_PROFILER_PLUGIN", COLLBENCH_PROFILER},
          {"COLLBENCH_RECORD_DIR", folder.path()},
          {"COLLBENCH_RECORD_TOKEN", "job1"}};
}

Settings small_record(const Folder& folder, std::size_t ring_size) {
  Settings settings;
  settings.directory = folder.path();
  settings.ring_size = ring_size;
  return settings;
}

int opened(Recorder& recorder, const char* communicator) {
  Header header;
  header.source = "nccl";
  header.communicator = communicator;
  std::string why;
  return recorder.open(header, why);
}

RecordEntry call_of(int log, std::uint64_t number) {
  RecordEntry call;
  call.log = log;
  call.call = number;
  return call;
}

/// Returns the last line of the record of this communicator. The lines between are not parsed, because there
/// may be many.
Json end_of(const Folder& folder, const std::string& communicator) {
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::ifstream in(file.path());
    std::string first, last;
    std::getline(in, first);
    for (std::string line; std::getline(in, line);) last = line;
    if (Json::parse(first)["comm"] == communicator) return Json::parse(last);
  }
  return {};
}

Words host(const char* version, const char* ranks, const char* steps) {
  return {COLLBENCH_FAKE_NCCL_HOST, version, ranks, steps};
}

}  // namespace

TEST_CASE("every interface version records all calls of all ranks, with the times of their kernels") {
  for (const char* version : {"4", "5", "6"}) {
    CAPTURE(version);
    const Folder folder;
    REQUIRE(finish(start(host(version, "3", "4"), recording(folder))) == 0);
    const auto files = records(folder.path());
    REQUIRE(files.size() == 3);
    for (const auto& lines : files) {
      const Json& header = lines.front();
      CHECK(header["t"] == "header");
      CHECK(header["token"] == "job1");
      CHECK(header["comm"] == "feedbeef12345678");
      CHECK(header["ranks"] == 3);
      CHECK(header["interface"] == std::stoi(version));
      CHECK(header["libraryVersion"] == (version[0] == '4'   ? "2.27.7"
                                         : version[0] == '5' ? "2.28.9"
                                                             : "2.29.2"));
      const auto calls = of_kind(lines, "call");
      REQUIRE(calls.size() == 4 * 8);
      CHECK(calls[0]["func"] == "AllReduce");
      CHECK(calls[0]["count"] == 2049000);
      CHECK(calls[0]["dtype"] == "ncclFloat32");
      CHECK(calls[0]["algo"] == "RING");
      CHECK(calls[0]["channels"] == 2);
      CHECK(calls[6]["peer"] == (header["rank"].get<int>() + 1) % 3);
      for (std::size_t i = 0; i < calls.size(); ++i) CHECK(calls[i]["k"] == i);
      CHECK(calls[0].contains("stream") == (version[0] != '4'));
      const auto times = of_kind(lines, "device");
      REQUIRE(times.size() == calls.size());
      // The time runs from the start of the first channel to the end of the last one.
      CHECK(times[0]["ns"] == 2049000 + 1000 * (2 - header["rank"].get<int>()));
      const Json& end = lines.back();
      CHECK(end["t"] == "end");
      CHECK(end["calls"] == 32);
      CHECK(end["lostCalls"] == 0);
    }
  }
}

TEST_CASE("replays of a captured graph are calls of their own, marked") {
  const Folder folder;
  Words words = host("5", "2", "6");
  words.push_back("graph");
  REQUIRE(finish(start(words, recording(folder))) == 0);
  for (const auto& lines : records(folder.path())) {
    const auto calls = of_kind(lines, "call");
    REQUIRE(calls.size() == 6 * 8);
    int captured = 0;
    for (const Json& call : calls) captured += call.value("graph", false) ? 1 : 0;
    CHECK(captured == 4 * 8);
  }
}

TEST_CASE("what a full ring cannot take is counted, and every call is either there or counted") {
  const Folder folder;
  Variables variables = recording(folder);
  variables.emplace_back("COLLBENCH_RECORD_RING", "2");
  REQUIRE(finish(start(host("5", "4", "50"), variables)) == 0);
  for (const auto& lines : records(folder.path())) {
    const Json& end = lines.back();
    REQUIRE(end["t"] == "end");
    CHECK(end["lostCalls"] > 0);
    CHECK(end["calls"].get<int>() + end["lostCalls"].get<int>() == 50 * 8);
    CHECK(of_kind(lines, "call").size() == end["calls"]);
  }
}

TEST_CASE("a ring of any size is emptied at the end of a communicator and of the process") {
  constexpr std::size_t kCalls = std::size_t{1} << 17;
  for (const bool is_closed : {true, false}) {
    CAPTURE(is_closed);
    const Folder folder;
    {
      Recorder recorder(small_record(folder, kCalls));
      const int log = opened(recorder, "c0");
      // The writing thread cannot take any of these calls, because the sweep runs under the lock of the
      // queue.
      bool is_swept = false;
      recorder.set_sweep([&](int, bool everything) {
        if (!everything || is_swept) return;
        is_swept = true;
        for (std::size_t i = 0; i < kCalls; ++i) recorder.put(call_of(log, i));
      });
      if (is_closed) recorder.close(log);
    }
    const Json end = end_of(folder, "c0");
    REQUIRE(end["t"] == "end");
    CHECK(end["calls"] == kCalls);
    CHECK(end["lostCalls"] == 0);
  }
}

TEST_CASE("what a call reports after its slot was reused is counted as lost, for its own communicator") {
  const Folder folder;
  {
    Recorder recorder(small_record(folder, 1 << 14));
    const auto calls = std::make_unique<OpenCalls>(recorder);
    const int early = opened(recorder, "early");
    const int late = opened(recorder, "late");
    const std::uint64_t slow = calls->start(call_of(early, 0));
    for (std::uint64_t i = 0; i < 8192; ++i) calls->stop(calls->start(call_of(late, i)));
    calls->kernel_start(slow, 1);
    calls->kernel_stop(slow, 2);
    calls->stop(slow);
  }
  const Json early = end_of(folder, "early");
  CHECK(early["calls"] == 0);
  CHECK(early["lostCalls"] == 1);
  CHECK(early["lostDeviceTimes"] == 1);
  const Json late = end_of(folder, "late");
  CHECK(late["calls"] == 8192);
  CHECK(late["lostCalls"] == 0);
  CHECK(late["lostDeviceTimes"] == 0);
}

TEST_CASE("a killed job leaves what it had called") {
  const Folder folder;
  Words words = host("5", "2", "3");
  words.push_back("wait");
  const pid_t job = start(words, recording(folder));
  const auto all_there = [&] {
    const auto files = records(folder.path());
    if (files.size() < 2) return false;
    for (const auto& lines : files)
      if (of_kind(lines, "call").size() < 24) return false;
    return true;
  };
  while (!all_there()) usleep(1000);
  kill(job, SIGKILL);
  CHECK(finish(job) == -SIGKILL);
  for (const auto& lines : records(folder.path())) {
    CHECK(of_kind(lines, "call").size() == 24);
    CHECK(of_kind(lines, "end").empty());
  }
}

TEST_CASE(
    "device times never and always; without a folder or with one that cannot be written the job goes on") {
  const Folder folder;
  Variables variables = recording(folder);
  variables.emplace_back("COLLBENCH_RECORD_TIMES", "never");
  REQUIRE(finish(start(host("5", "1", "2"), variables)) == 0);
  const auto files = records(folder.path());
  REQUIRE(files.size() == 1);
  CHECK(of_kind(files[0], "device").empty());
  CHECK(finish(start(host("5", "2", "2"), {{"NCCL_PROFILER_PLUGIN", COLLBENCH_PROFILER}})) == 0);
  variables = recording(folder);
  variables[1].second = "/proc/none";
  CHECK(finish(start(host("5", "2", "2"), variables)) == 0);
}

TEST_CASE("one call of sixteen is timed, at every place of a step, and all ranks time the same") {
  const TimingSchedule timed(nullptr);
  for (const std::uint64_t step : {7u, 64u, 100u}) {
    std::vector<int> places(step);
    int all = 0;
    constexpr std::uint64_t kCalls = 2053 * 400;
    for (std::uint64_t call = 512; call < 512 + kCalls; ++call) {
      if (!timed.is_timed(call)) continue;
      ++places[call % step];
      ++all;
    }
    CHECK(all == 400 * 128);
    for (const int place : places) CHECK(place > 0);
  }
  CHECK(timed.is_timed(511));
  CHECK_FALSE(timed.is_timed(1000));
}

TEST_CASE(
    "from the first captured call on all are timed or none, as that one was; a mode that was asked for "
    "stays") {
  TimingSchedule on(nullptr), off(nullptr), never("never");
  on.note_captured(true);
  on.note_captured(false);
  CHECK(on.is_timed(1000));
  off.note_captured(false);
  off.note_captured(true);
  CHECK_FALSE(off.is_timed(0));
  never.note_captured(true);
  CHECK_FALSE(never.is_timed(0));
}

TEST_CASE(
    "graphs that are captured late, between calls that are timed and others: NCCL waits for no time that "
    "never comes") {
  for (const char* captured_step : {"3", "70", "300"})
    for (const char* version : {"4", "5"}) {
      CAPTURE(captured_step);
      CAPTURE(version);
      const Folder folder;
      Words words = host(version, "1", "400");
      words.push_back(std::string("graph=") + captured_step);
      REQUIRE(finish(start(words, recording(folder))) == 0);
      for (const auto& lines : records(folder.path())) CHECK(lines.back()["t"] == "end");
    }
}

TEST_CASE("handles keep a stream and whether it was captured") {
  const TaggedHandle api{HandleKind::kApi, 0x7f0000001000, true};
  const TaggedHandle again = TaggedHandle::of(api.pointer());
  CHECK(again.kind == HandleKind::kApi);
  CHECK(again.value == 0x7f0000001000);
  CHECK(again.is_captured);
}
