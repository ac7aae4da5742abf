#include <doctest/doctest.h>

#include "metrics/nvml.h"

using collbench::metrics::visible_gpus;
using Gpus = std::vector<unsigned>;

TEST_CASE("GPUs that CUDA_VISIBLE_DEVICES shows, as the driver reads it") {
  const auto of = [](const char* listed) {
    return visible_gpus(
        listed, 4, [](unsigned gpu) { return "GPU-" + std::string(1, static_cast<char>('a' + gpu)) + "1f"; });
  };
  CHECK(of(nullptr) == Gpus{0, 1, 2, 3});
  CHECK(of("2,0") == Gpus{0, 2});
  CHECK(of(" 3 , 3") == Gpus{3});
  CHECK(of("").empty());
  CHECK(of("-1").empty());
  CHECK(of("NoDevFiles").empty());
  CHECK(of("1,9,2") == Gpus{1});
  CHECK(of("GPU-c1,GPU-a1f") == Gpus{0, 2});
  CHECK(of("GPU-x,1").empty());
  CHECK(of("MIG-2f,1") == Gpus{0, 1, 2, 3});
}
