#include "engines/nvshmem/toolchain.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;
using namespace collbench::cuda_tests;

namespace {

void write_program(const TemporaryFolder& folder, const std::string& name, const std::string& body) {
  REQUIRE(chmod(folder.file(name, "#!/bin/sh\n" + body).c_str(), 0755) == 0);
}

/// Creates a fake Python package of NVSHMEM.
std::string package(const TemporaryFolder& folder) {
  const std::string root = "site-packages/nvidia/nvshmem/";
  folder.file(root + "include/nvshmem.h");
  folder.file(root + "include/nvshmemx.h");
  folder.file(root + "include/non_abi/nvshmem_version.h",
              "#define NVSHMEM_VENDOR_MAJOR_VERSION 3\n#define NVSHMEM_VENDOR_MINOR_VERSION 4\n"
              "#define NVSHMEM_VENDOR_PATCH_VERSION 5\n");
  folder.file(root + "lib/libnvshmem_device.a");
  folder.file(root + "lib/libnvshmem_host.so.3");
  return folder.at("site-packages/nvidia/nvshmem");
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("a Python package of NVSHMEM has all that is linked, and the CUDA package beside it the compiler") {
  const TemporaryFolder folder;
  const std::string root = package(folder);
  write_program(folder, "site-packages/nvidia/cu13/bin/nvcc", "");
  write_program(folder, "bin/g++", "");
  const Variables variables(bare({{"PATH", folder.at("bin")}}));
  const NvshmemToolchainSearch look = find_toolchain(root);
  CHECK(look.why_not == "");
  CHECK(look.how == "--nvshmem");
  CHECK(look.found.library == root + "/lib/libnvshmem_host.so.3");
  CHECK(look.found.include == root + "/include");
  CHECK(look.found.device == root + "/lib");
  CHECK(look.found.version == "3.4.5");
  if (access("/usr/local/cuda/bin/nvcc", X_OK) != 0)
    CHECK(look.found.nvcc == folder.at("site-packages/nvidia/cu13/bin/nvcc"));
}

TEST_CASE("NVSHMEM_HOME comes before the loader's path") {
  const TemporaryFolder folder;
  folder.file("home/lib/libnvshmem_host.so.3");
  folder.file("other/libnvshmem_host.so.3");
  const Variables variables(
      bare({{"NVSHMEM_HOME", folder.at("home")}, {"LD_LIBRARY_PATH", folder.at("other")}}));
  CHECK(find_nvshmem("").path == folder.at("home/lib/libnvshmem_host.so.3"));
  CHECK(find_nvshmem("").how == "NVSHMEM_HOME");
}

TEST_CASE("a library that is named and not there is not replaced by another") {
  const TemporaryFolder folder;
  folder.file("home/lib/libnvshmem_host.so.3");
  const Variables variables(bare({{"NVSHMEM_HOME", folder.at("home")}}));
  const NvshmemToolchainSearch look = find_toolchain(folder.at("none"));
  CHECK(contains(look.why_not, "There is no libnvshmem_host.so.3 at " + folder.at("none") + " (--nvshmem)."));
}

TEST_CASE("every missing piece is named at once, with where it comes from") {
  const TemporaryFolder folder;
  folder.file("lib/libnvshmem_host.so.3");
  const Variables variables(bare({{"PATH", folder.at("bin")}}));
  const std::string why = find_toolchain(folder.at("lib/libnvshmem_host.so.3")).why_not;
  CHECK(contains(why, "No headers of NVSHMEM (nvshmem.h, nvshmemx.h) in " + folder.at("include")));
  CHECK(contains(why, "No libnvshmem_device.a in " + folder.at("lib")));
  CHECK(contains(why, "No g++ in PATH, which nvcc needs"));
  if (access("/usr/local/cuda/bin/nvcc", X_OK) != 0)
    CHECK(contains(why,
                   "No nvcc in $CUDA_HOME/bin, in $CUDA_PATH/bin, in PATH, in /usr/local/cuda/bin or beside "
                   "the NVSHMEM library"));
  CHECK(why.ends_with("."));
}

TEST_CASE("the compiler gets the device library to link, once for each release of it") {
  const TemporaryFolder folder;
  const Variables variables({{"XDG_CACHE_HOME", folder.at("cache")}});
  write_program(folder, "nvcc",
                "echo \"$*\" >> $0.calls\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                "echo object > $out\n");
  NvshmemToolchain tools{folder.at("lib/libnvshmem_host.so.3"), folder.at("include"), folder.at("lib"),
                         "3.4.5", folder.at("nvcc")};
  const std::string object = build_kernels(tools, 90, {});
  CHECK(object.starts_with(folder.at("cache/collbench/nvshmem-")));
  CHECK(build_kernels(tools, 90, {}) == object);
  tools.version = "3.5.1";
  CHECK(build_kernels(tools, 90, {}) != object);
  const std::string calls = text_of(folder.at("nvcc.calls"));
  CHECK(contains(calls, "-rdc=true -isystem " + folder.at("include")));
  CHECK(contains(calls, "-lnvshmem_device"));
  CHECK(contains(calls, "-l:libnvshmem_host.so.3 -Xlinker -rpath=" + folder.at("lib")));
  CHECK(contains(calls, "arch=compute_90,code=sm_90"));
}

TEST_CASE("the source that agents carry has the interface first, then the kernels, then what is exported") {
  const std::string source = kernels_source();
  const auto interface = source.find("struct CollbenchNvshmemCall");
  const auto kernels = source.find("one_shot_packets(");
  const auto exported = source.find("COLLBENCH_EXPORT int collbench_nvshmem_launch(");
  CHECK(interface != std::string::npos);
  CHECK(kernels != std::string::npos);
  CHECK(exported != std::string::npos);
  CHECK(interface < kernels);
  CHECK(kernels < exported);
}
