#include "engines/nvshmem/probe.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;
using namespace collbench::cuda_tests;

TEST_CASE("without NVSHMEM and a compiler one look names both, and what to install") {
  const TemporaryFolder folder;
  const Variables variables(bare({{"PATH", folder.at("bin")}}));
  const Availability found = probe("p2p", {}, {{"nvshmem", folder.at("none")}});
  CHECK_FALSE(found.available);
  CHECK(contains(found.reason, "There is no libnvshmem_host.so.3 at " + folder.at("none") + " (--nvshmem)."));
  CHECK(contains(found.reason, "No g++ in PATH"));
  CHECK(contains(found.remedy, "pip install nvidia-nvshmem-cu13"));
}

TEST_CASE("another transport is refused with those that there are") {
  const Availability found = probe("socket", {}, {});
  CHECK(found.reason == "The nvshmem engine has no transport \"socket\".");
  CHECK(found.remedy == "Take p2p or ibgda.");
}

TEST_CASE("a setting that cannot be is the reason") {
  CHECK(contains(probe("p2p", {}, {{"blocks", "0"}}).reason, "setting blocks is \"0\"; allowed: 1 to 128."));
}
