#include "engines/nccl/device_api/toolchain.h"

#include "engines/nccl/device_api/tests/fake_tools.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

constexpr int kVersion = 22809;

}  // namespace

TEST_CASE("a Python package of NCCL brings its headers, and the CUDA package beside it the compiler") {
  const TemporaryFolder folder;
  const std::string library = folder.file("site-packages/nvidia/nccl/lib/libnccl.so.2");
  fake_headers(folder, "site-packages/nvidia/nccl/include", "22809");
  write_program(folder, "site-packages/nvidia/cu13/bin/nvcc", "");
  write_program(folder, "bin/g++", "");
  const Variables variables(bare({{"PATH", folder.at("bin")}}));
  const DeviceApiToolchainSearch look = find_toolchain(library, kVersion);
  CHECK(look.why_not.empty());
  CHECK(look.found.nvcc == folder.at("site-packages/nvidia/cu13/bin/nvcc"));
  CHECK(look.found.include == folder.at("site-packages/nvidia/nccl/include"));
}

TEST_CASE("CUDA_HOME's compiler comes before that of PATH") {
  const TemporaryFolder folder;
  const std::string library = folder.file("lib/libnccl.so.2");
  fake_headers(folder, "include", "22809");
  for (const char* name : {"bin/nvcc", "bin/g++", "cuda/bin/nvcc"}) write_program(folder, name, "");
  const Variables variables(bare({{"PATH", folder.at("bin")}, {"CUDA_HOME", folder.at("cuda")}}));
  CHECK(find_toolchain(library, kVersion).found.nvcc == folder.at("cuda/bin/nvcc"));
}

TEST_CASE("headers of another release are passed over for those of the library's own") {
  const TemporaryFolder folder;
  const std::string library = folder.file("nccl/lib/libnccl.so.2");
  fake_headers(folder, "nccl/include", "23007");
  fake_headers(folder, "cuda/include", "22809");
  for (const char* name : {"cuda/bin/nvcc", "cuda/bin/g++"}) write_program(folder, name, "");
  const Variables variables(bare({{"PATH", folder.at("cuda/bin")}, {"CUDA_HOME", folder.at("cuda")}}));
  const DeviceApiToolchainSearch look = find_toolchain(library, kVersion);
  CHECK(look.why_not.empty());
  CHECK(look.found.include == folder.at("cuda/include"));
}

TEST_CASE("headers that are all of other releases, or of no device API, are named") {
  const TemporaryFolder folder;
  const std::string library = folder.file("nccl/lib/libnccl.so.2");
  fake_headers(folder, "nccl/include", "23007");
  folder.file("cuda/include/nccl.h", "#define NCCL_VERSION_CODE 22809\n");
  for (const char* name : {"cuda/bin/nvcc", "cuda/bin/g++"}) write_program(folder, name, "");
  const Variables variables(bare({{"PATH", folder.at("cuda/bin")}, {"CUDA_HOME", folder.at("cuda")}}));
  const std::string why = find_toolchain(library, kVersion).why_not;
  CHECK(contains(
      why, "The library is NCCL 2.28.9 and wants the headers of that release: " + folder.at("nccl/include") +
               " has those of 2.30.7, " + folder.at("cuda/include") + " has nccl.h without nccl_device.h"));
  CHECK(why.ends_with("."));
}

TEST_CASE("every missing piece is named at once, with where it comes from") {
  const TemporaryFolder folder;
  const std::string library = folder.file("lib/libnccl.so.2");
  folder.file("bin/nvcc");  // The file exists but is no program.
  const Variables variables(bare({{"PATH", folder.at("bin")}}));
  const std::string why = find_toolchain(library, kVersion).why_not;
  if (access("/usr/local/cuda/bin/nvcc", X_OK) != 0) {
    CHECK(contains(why, "No nvcc in $CUDA_HOME/bin, in $CUDA_PATH/bin, in PATH"));
    CHECK(contains(why, "it comes with the CUDA toolkit."));
  }
  CHECK(contains(why,
                 "No g++ in PATH, which nvcc needs; install it, or name another compiler with NVCC_CCBIN."));
  CHECK(contains(why, "headers"));
}

TEST_CASE("a host compiler named with NVCC_CCBIN is nvcc's own affair") {
  const TemporaryFolder folder;
  const std::string library = folder.file("lib/libnccl.so.2");
  fake_headers(folder, "include", "22809");
  write_program(folder, "bin/nvcc", "");
  const Variables variables(bare({{"PATH", folder.at("bin")}, {"NVCC_CCBIN", "/opt/gcc/bin/g++-12"}}));
  CHECK(find_toolchain(library, kVersion).why_not.empty());
}

TEST_CASE("an NCCL older than the device API is told so before anything is searched") {
  CHECK(find_toolchain("/nowhere/libnccl.so.2", 22705).why_not ==
        "NCCL 2.27.5 has no device API; 2.28.3 and newer have.");
}
