// Tests of the probe with driver, GPUs and NCCL present: the fakes on host memory, two GPUs.
#include "cuda/driver_api.h"
#include "cuda/tests/harness.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/probe.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

const bool named = setenv("COLLBENCH_CUDA_LIBRARY", COLLBENCH_CUDA_FAKE, 1) == 0 &&
                   setenv("COLLBENCH_NVRTC_LIBRARY", "/nowhere/libnvrtc.so.13", 1) == 0 &&
                   setenv("CUDA_VISIBLE_DEVICES", "0,1", 1) == 0;  // Set before any GPU is opened.

Availability look(const std::string& transport, EngineSettings settings = {}) {
  settings.emplace("nccl", COLLBENCH_NCCL_FAKE);
  TransportOptions options;
  options.token = "0123456789abcdef0123456789abcdef";
  options.library = transport == "plugin" ? COLLBENCH_MOCK_PLUGIN : transport == "sisci" ? "softntb" : "";
  return probe(transport, options, settings);
}

std::string fact(const Availability& answer, const std::string& name) {
  const auto found = answer.facts.find(name);
  return found != answer.facts.end() ? found->second : "(none)";
}

}  // namespace

TEST_CASE("what needs no adapter is available, as emulated, with the fake named") {
  REQUIRE(named);
  for (const char* transport : {"p2p", "shm", "socket", "sisci", "plugin"}) {
    const Availability answer = look(transport);
    CAPTURE(transport);
    CAPTURE(answer.reason);
    CHECK(answer.available);
    CHECK(answer.medium == Medium::kEmulated);
    CHECK(answer.detail.is_fake == true);
    CHECK(answer.remedy.empty());
  }
}

TEST_CASE("facts name driver, GPUs, NCCL and the compiler that is missing") {
  const Availability answer = look("socket");
  CHECK(fact(answer, "driver.version") == "13.0");
  CHECK(fact(answer, "gpu.count") == "2");
  CHECK(contains(fact(answer, "gpu.1.name"), "fake"));
  CHECK_FALSE(fact(answer, "gpu.1.pci").empty());
  CHECK(fact(answer, "gpu.0.capability") == "9.0");
  CHECK(std::stoull(fact(answer, "gpu.0.memoryBytes")) > 0);
  CHECK(fact(answer, "nccl.path") == std::filesystem::canonical(COLLBENCH_NCCL_FAKE).string());
  CHECK(fact(answer, "nccl.version").starts_with("2."));
  CHECK(contains(fact(answer, "nvrtc.missing"), "/nowhere/libnvrtc.so.13 cannot be loaded"));
  CHECK(fact(answer, "nvrtc.path") == "(none)");
}

TEST_CASE("a GPU that is not there, and one alone where two are needed") {
  const Availability absent = look("socket", {{"gpus", "0,5"}});
  CHECK_FALSE(absent.available);
  CHECK(contains(absent.reason, "GPU 5 was asked for, and this machine has 0 to 1."));
  CHECK(contains(absent.remedy, "--gpus"));
  const Availability alone = look("p2p", {{"gpus", "1"}});
  CHECK(contains(alone.reason, "p2p needs two GPUs of one machine, and there is one."));
  CHECK(look("socket", {{"gpus", "1"}}).available);
}

TEST_CASE("an NCCL for a newer CUDA than the driver's is named before it fails by itself") {
  const TemporaryFolder folder;
  const std::string copy = folder.file("cuda-99/libnccl.so.2");
  std::filesystem::copy_file(COLLBENCH_NCCL_FAKE, copy, std::filesystem::copy_options::overwrite_existing);
  const Availability answer = look("socket", {{"nccl", copy}});
  CHECK_FALSE(answer.available);
  CHECK(contains(answer.reason,
                 "The driver is too old: it is for CUDA 13.0, and " + copy + " is NCCL for CUDA 99."));
  CHECK(contains(answer.remedy, "Update the driver, or take an NCCL for CUDA 13"));
}
