#include "engines/nvshmem/settings.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;
using namespace collbench::cuda_tests;

TEST_CASE("every word is read") {
  const NvshmemSettings all = parse_settings({{"nvshmem", "/opt/nvshmem"},
                                              {"gpus", "1,0"},
                                              {"cache", "hot"},
                                              {"graph", "1"},
                                              {"algo", "simple-ring"},
                                              {"tune", "0"},
                                              {"blocks", "64"},
                                              {"threads", "512"},
                                              {"packet", "65536"},
                                              {"signal", "separate"},
                                              {"hostCheck", "1"},
                                              {"nccl", "/opt/nccl"}});
  CHECK(all.library == "/opt/nvshmem");
  CHECK(all.gpus == std::vector<int>{1, 0});
  CHECK(all.hot);
  CHECK(all.graph);
  CHECK(all.algorithm == "simple-ring");
  CHECK_FALSE(all.tune);
  CHECK(all.blocks == 64);
  CHECK(all.threads == 512);
  CHECK(all.packet_bytes == 65536);
  CHECK(all.separate_signal);
  CHECK(all.host_check);
}

TEST_CASE("nothing said: tuned, cold, fused") {
  const NvshmemSettings none = parse_settings({});
  CHECK(none.tune);
  CHECK_FALSE(none.hot);
  CHECK_FALSE(none.separate_signal);
  CHECK(none.algorithm.empty());
  CHECK(none.blocks == 0);
}

TEST_CASE("a value that cannot be is refused with its word and what is allowed") {
  const auto refusal = [](const std::string& word, const std::string& value) {
    return refusal_of([&] { parse_settings({{word, value}}); });
  };
  CHECK(refusal("blocks", "129") ==
        "invalid_argument: nvshmem: setting blocks is \"129\"; allowed: 1 to 128");
  CHECK(contains(refusal("threads", "16"), "allowed: 32 to 1024"));
  CHECK(contains(refusal("packet", "1M"), "allowed: 1024 to 262144"));
  CHECK(contains(refusal("signal", "late"), "allowed: fused, separate"));
  CHECK(contains(refusal("gpus", "0,0"), "allowed: each GPU once"));
  CHECK(contains(refusal("algo", "rings"), "allowed: one-shot, two-shot, ring, simple-ring"));
  CHECK(contains(refusal("register", "local"), "there is no setting \"register\""));
}
