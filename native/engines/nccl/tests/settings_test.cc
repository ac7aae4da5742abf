#include "engines/nccl/settings.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {
std::string refused(const std::string& word, const std::string& value) {
  return refusal_of([&] { parse_settings({{word, value}}); });
}
}  // namespace

TEST_CASE("without words: cold buffers, nothing registered, one call per group, NCCL chooses") {
  const NcclSettings settings = parse_settings({});
  CHECK(settings.library.empty());
  CHECK(settings.gpus.empty());
  CHECK_FALSE(settings.hot);
  CHECK(settings.blocking);
  CHECK(settings.aggregate == 1);
  CHECK(settings.registration == Registration::kNone);
  CHECK(settings.algorithm.empty());
  CHECK(settings.protocol.empty());
}

TEST_CASE("every word is read") {
  const NcclSettings settings = parse_settings({{"nccl", "/opt/libnccl.so.2"},
                                                {"gpus", "3,0"},
                                                {"shareGpu", "1"},
                                                {"cache", "hot"},
                                                {"graph", "1"},
                                                {"aggregate", "4"},
                                                {"register", "symmetric"},
                                                {"blocking", "0"},
                                                {"split", "2"},
                                                {"misalign", "1"},
                                                {"algo", "ring"},
                                                {"proto", "LL128"},
                                                {"attest", "1"},
                                                {"hostCheck", "1"}});
  CHECK(settings.library == "/opt/libnccl.so.2");
  CHECK(settings.gpus == std::vector{3, 0});
  CHECK(settings.share_gpu);
  CHECK(settings.hot);
  CHECK(settings.graph);
  CHECK(settings.aggregate == 4);
  CHECK(settings.registration == Registration::kSymmetric);
  CHECK_FALSE(settings.blocking);
  CHECK(settings.split == 2);
  CHECK(settings.misalign == 1);
  CHECK(settings.algorithm == "ring");
  CHECK(settings.protocol == "LL128");
  CHECK(settings.attest);
  CHECK(settings.host_check);
}

TEST_CASE("a wrong value is refused with the word, the value and what is allowed") {
  CHECK(refused("register", "2") ==
        "invalid_argument: nccl: setting register is \"2\"; allowed: none, local, symmetric");
  CHECK(contains(refused("cache", "warm"), "setting cache is \"warm\"; allowed: cold, hot"));
  CHECK(contains(refused("graph", "yes"), "setting graph is \"yes\"; allowed: 0, 1"));
  CHECK(contains(refused("aggregate", "0"), "setting aggregate is \"0\"; allowed: 1 to 1024"));
  CHECK(contains(refused("misalign", "1x"), "setting misalign is \"1x\"; allowed: 0 to"));
  CHECK(contains(refused("gpus", "0,,1"), "setting gpus"));
  CHECK(contains(refused("gpu", "0"), "there is no setting \"gpu\"; there are nccl, gpus,"));
}

TEST_CASE("kernels on the device API want windows, and none of what only NCCL's collectives have") {
  CHECK(parse_settings({{"deviceApi", ""}}).device_api == DeviceReach::kNone);
  CHECK(parse_settings({{"deviceApi", "lsa"}, {"register", "symmetric"}}).device_api == DeviceReach::kLsa);
  CHECK(parse_settings({{"deviceApi", "gin"}, {"register", "symmetric"}}).device_api == DeviceReach::kGin);
  CHECK(contains(refused("deviceApi", "nvls"), "setting deviceApi is \"nvls\"; allowed: lsa, gin"));
  CHECK(contains(refused("deviceApi", "lsa"), "deviceApi lsa wants register symmetric"));
  const auto with = [](const std::string& word, const std::string& value) {
    return refusal_of(
        [&] { parse_settings({{"deviceApi", "lsa"}, {"register", "symmetric"}, {word, value}}); });
  };
  CHECK(contains(with("blocking", "0"), "deviceApi lsa wants blocking 1"));
  CHECK(contains(with("aggregate", "2"), "deviceApi lsa wants aggregate 1"));
  CHECK(contains(with("algo", "ring"), "deviceApi lsa wants no algo and no proto"));
}

TEST_CASE("a GPU may stand twice only where ranks share GPUs") {
  CHECK(contains(refused("gpus", "0,1,0"), "GPU 0 stands there twice"));
  CHECK(parse_settings({{"gpus", "0,0"}, {"shareGpu", "1"}}).gpus == std::vector{0, 0});
}

TEST_CASE("names of algorithms and protocols are checked, in all forms that NCCL reads") {
  for (const char* algo : {"Ring", "ring,tree", "^nvls,nvlstree", "allreduce:tree,ring;allgather:^pat"}) {
    CAPTURE(algo);
    CHECK(parse_settings({{"algo", algo}}).algorithm == algo);
  }
  CHECK(parse_settings({{"proto", "^LL128"}}).protocol == "^LL128");
  CHECK(contains(refused("algo", "rings"), "allowed: tree, ring,"));
  CHECK(contains(refused("algo", "sendrecv:ring"), "setting algo"));
  CHECK(contains(refused("proto", "LL,fast"), "allowed: ll, ll128, simple"));
}
