#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <vector>

#include "core/cached_build.h"
#include "engines/nccl/device_api/tests/fake_tools.h"
#include "engines/nccl/device_api/toolchain.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A separate cache and a fake nvcc for a test.
struct FakeToolchain {
  explicit FakeToolchain(const std::string& script) : nvcc(fake_nvcc(folder, script)) {}
  [[nodiscard]] DeviceApiBuild build(const std::string& source = "kernels") const {
    return {{nvcc, folder.at("include")}, 22809, 90, source, {}};
  }
  [[nodiscard]] std::string calls() const { return text_of(nvcc + ".calls"); }
  [[nodiscard]] std::size_t call_count() const {
    const std::string lines = calls();
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
  /// Returns the number of files in the cache except locks.
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.at("cache/collbench")))
      count += entry.path().extension() != ".lock" ? 1 : 0;
    return count;
  }

  TemporaryFolder folder;
  Variables variables{{{"XDG_CACHE_HOME", folder.at("cache")}}};
  std::string nvcc;
};

}  // namespace

TEST_CASE(
    "the compiler gets the source, the headers and the GPU's architecture; what it makes lies in the cache") {
  // The last word of the command is the source.
  const FakeToolchain workshop("cat $(tail -n 1 $0.calls | sed 's/.* //') > $out");
  const std::string object = build_device_api(workshop.build("the kernels"));
  CHECK(object.starts_with(workshop.folder.at("cache/collbench/device-api-")));
  CHECK(object.ends_with(".so"));
  CHECK(text_of(object) == "the kernels");
  const std::string call = workshop.calls();
  CHECK(contains(call, "-isystem " + workshop.folder.at("include") + " "));
  CHECK(contains(call, "arch=compute_90,code=sm_90"));
  CHECK(contains(call, "-shared"));
  CHECK(workshop.files() == 1);
}

TEST_CASE("it compiles once; another source, release, GPU, compiler or header folder is another file") {
  const FakeToolchain workshop("echo object > $out");
  const std::string first = build_device_api(workshop.build());
  CHECK(build_device_api(workshop.build()) == first);
  CHECK(workshop.call_count() == 1);
  std::vector<DeviceApiBuild> others(4, workshop.build());
  others[0].source = "kernels2";
  others[1].nccl_version = 23007;
  others[2].capability = 100;
  others[3].tools.include = "/usr/include";
  for (const DeviceApiBuild& other : others) CHECK(build_device_api(other) != first);
  CHECK(workshop.call_count() == 5);
}

TEST_CASE("/usr/include is not named: it would hide the C++ library's headers from themselves") {
  const FakeToolchain workshop("echo object > $out");
  DeviceApiBuild build = workshop.build();
  build.tools.include = "/usr/include";
  build_device_api(build);
  CHECK_FALSE(contains(workshop.calls(), "-isystem"));
}

TEST_CASE("ranks that want it at once get the same file from one compile") {
  const FakeToolchain workshop("echo object > $out");
  constexpr int kRanks = 8;
  std::vector<std::string> paths(kRanks);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank)
    ranks.emplace_back(
        [&, rank] { paths[static_cast<std::size_t>(rank)] = build_device_api(workshop.build()); });
  for (auto& rank : ranks) rank.join();
  for (const std::string& path : paths) CHECK(path == paths[0]);
  CHECK(workshop.call_count() == 1);
  CHECK(workshop.files() == 1);
}

TEST_CASE("a compile that fails says what the compiler said and leaves nothing behind") {
  const FakeToolchain workshop(
      "echo half > $out; echo 'collectives.cu(7): error: no such thing' >&2; exit 2");
  const std::string refusal = refusal_of([&] { build_device_api(workshop.build()); });
  CHECK(refusal == "unavailable: nvcc cannot compile the kernels on NCCL's device API (" + workshop.nvcc +
                       ", exit status 2): collectives.cu(7): error: no such thing");
  CHECK(workshop.files() == 0);
}

TEST_CASE("a compiler that says nothing and makes nothing is a failure too") {
  const FakeToolchain workshop("exit 0");
  CHECK(contains(refusal_of([&] { build_device_api(workshop.build()); }), "exit status 0): no word"));
}

TEST_CASE("a compiler that cannot be started is named with the reason") {
  const FakeToolchain workshop("");
  DeviceApiBuild build = workshop.build();
  build.tools.nvcc = workshop.folder.at("none/nvcc");
  CHECK(
      contains(refusal_of([&] { build_device_api(build); }), "cannot be started: No such file or directory"));
}

TEST_CASE("stopping ends the compiler and all that it started") {
  // Every living process holds the pipe open for writing.
  const FakeToolchain workshop("exec 9> $0.pipe; sleep 1000 & : > $0.started; wait");
  REQUIRE(mkfifo((workshop.nvcc + ".pipe").c_str(), 0600) == 0);
  const int pipe = open((workshop.nvcc + ".pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(pipe >= 0);
  DeviceApiBuild build = workshop.build();
  build.cancelled = [&] { return std::filesystem::exists(workshop.nvcc + ".started"); };
  CHECK(refusal_of([&] { build_device_api(build); }) ==
        "cancelled: stopped while compiling the kernels on NCCL's device API");
  CHECK(workshop.files() == 0);
  pollfd ends{pipe, POLLIN, 0};
  REQUIRE(poll(&ends, 1, -1) == 1);
  CHECK((ends.revents & POLLHUP) != 0);
  close(pipe);
}

TEST_CASE("the cache folder is private") {
  const TemporaryFolder folder;
  const Variables variables({{"XDG_CACHE_HOME", folder.at("a/b")}});
  const std::string cache = private_cache_folder();
  CHECK(cache == folder.at("a/b/collbench"));
  struct stat seen{};
  REQUIRE(stat(cache.c_str(), &seen) == 0);
  CHECK((seen.st_mode & 0777) == 0700);
}

TEST_CASE("a cache folder that others may write to, or that is a link, is refused with a way out") {
  const TemporaryFolder folder;
  const Variables variables({{"XDG_CACHE_HOME", folder.at("cache")}});
  folder.file("cache/none");
  SUBCASE("writable") {
    REQUIRE(mkdir(folder.at("cache/collbench").c_str(), 0700) == 0);
    REQUIRE(chmod(folder.at("cache/collbench").c_str(), 0777) == 0);
    CHECK(refusal_of(private_cache_folder) ==
          "unavailable: " + folder.at("cache/collbench") +
              ", for compiled code, belongs to another user or can be written by "
              "others; name another place with XDG_CACHE_HOME");
  }
  SUBCASE("a link") {
    folder.link("cache/collbench", "/tmp");
    CHECK(contains(refusal_of(private_cache_folder), "is no folder; name another place"));
  }
}

TEST_CASE("the source that agents carry has the interface first and then the kernels") {
  const std::string source = device_api_source();
  const auto interface = source.find("struct CollbenchDeviceFunctions");
  const auto kernels = source.find("all_reduce_lsa");
  CHECK(interface != std::string::npos);
  CHECK(kernels != std::string::npos);
  CHECK(interface < kernels);
  CHECK(source.find("@") == std::string::npos);
}
