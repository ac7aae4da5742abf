#include "cuda/search.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::cuda;
using namespace collbench::cuda_tests;

TEST_CASE("NVRTC: the newest that the driver can serve") {
  const TemporaryFolder folder;
  for (const char* name : {"libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"}) folder.file(name);
  const Variables variables(bare({{"LD_LIBRARY_PATH", folder.at("")}}));
  CHECK(contains(find_nvrtc(13).path, "/libnvrtc.so.13"));
  CHECK(contains(find_nvrtc(12).path, "/libnvrtc.so.12"));
  CHECK(contains(find_nvrtc(11).path, "/libnvrtc.so.11.2"));
}

TEST_CASE("NVRTC in Python packages: nvidia/cu13 since CUDA 13, nvidia/cuda_nvrtc before") {
  const TemporaryFolder folder;
  const auto old_one = folder.file("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  const Variables variables(bare({{"VIRTUAL_ENV", folder.at("venv")}}));
  CHECK(find_nvrtc(12).path == old_one);
  CHECK(find_nvrtc(12).how == "Python package nvidia.cuda_nvrtc of " + folder.at("venv"));
  const auto new_one = folder.file("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  CHECK(find_nvrtc(13).path == new_one);
}
