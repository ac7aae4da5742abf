#include "engines/nccl/search.h"

#include "engines/nccl/tests/harness.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::nccl_tests;

namespace {

/// No place of this machine is searched but the loader's and /usr/local/cuda*, which come last.
std::map<std::string, std::string> bare(std::map<std::string, std::string> wanted) {
  for (const char* name :
       {"NCCL_HOME", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PATH", "HOME", "CUDA_HOME", "CUDA_PATH"})
    wanted.emplace(name, "");
  return wanted;
}

constexpr const char* kInPython = "lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2";

}  // namespace

TEST_CASE(
    "a named library is taken, as a file, a folder or a prefix; one that is not there is not replaced") {
  const TemporaryFolder folder;
  const std::string file = folder.file("opt/nccl/lib/libnccl.so.2");
  folder.file("other/libnccl.so.2");
  const Variables variables(bare({{"LD_LIBRARY_PATH", folder.at("other")}}));
  for (const auto& wanted : {file, folder.at("opt/nccl/lib"), folder.at("opt/nccl")}) {
    CAPTURE(wanted);
    CHECK(find_nccl(wanted).path == file);
    CHECK(find_nccl(wanted).how == "--nccl");
  }
  const Found none = find_nccl(folder.at("nowhere"));
  CHECK(none.path.empty());
  CHECK(contains(describe_places(none), folder.at("nowhere/lib")));
}

TEST_CASE("NCCL_HOME, then LD_LIBRARY_PATH, then Python packages") {
  const TemporaryFolder folder;
  folder.file("home/lib/libnccl.so.2");
  folder.file("path/libnccl.so.2");
  folder.file(std::string("venv/") + kInPython);
  auto places = bare({{"NCCL_HOME", folder.at("home")},
                      {"LD_LIBRARY_PATH", folder.at("empty") + "::" + folder.at("path")},
                      {"VIRTUAL_ENV", folder.at("venv")}});
  {
    const Variables variables(places);
    CHECK(find_nccl("").path == folder.at("home/lib/libnccl.so.2"));
    CHECK(find_nccl("").how == "NCCL_HOME");
  }
  places["NCCL_HOME"] = "";
  {
    const Variables variables(places);
    CHECK(find_nccl("").path == folder.at("path/libnccl.so.2"));
    CHECK(find_nccl("").how == "LD_LIBRARY_PATH");
  }
  places["LD_LIBRARY_PATH"] = "";
  const Variables variables(places);
  CHECK(find_nccl("").path == folder.at("venv/") + kInPython);
  CHECK(find_nccl("").how == "Python package nvidia.nccl of " + folder.at("venv"));
}

TEST_CASE("of a python3 on PATH the links are followed: its environment first, what it is made of then") {
  const TemporaryFolder folder;
  folder.file("base/bin/python3.12");  // fake: nothing runs it
  folder.link("base/bin/python3", "python3.12");
  folder.link("venv/bin/python3", "../../base/bin/python3");
  folder.file(std::string("base/") + kInPython);
  const Variables variables(bare({{"PATH", folder.at("nothing") + ":" + folder.at("venv/bin")}}));
  CHECK(find_nccl("").path == folder.at("base/") + kInPython);
  folder.file(std::string("venv/") + kInPython);
  CHECK(find_nccl("").path == folder.at("venv/") + kInPython);
}

TEST_CASE("a link that leads to itself ends the walk") {
  const TemporaryFolder folder;
  folder.link("bin/python3", "python3");
  folder.file(std::string("user/.local/") + kInPython);
  const Variables variables(bare({{"PATH", folder.at("bin")}, {"HOME", folder.at("user")}}));
  CHECK(find_nccl("").path == folder.at("user/.local/") + kInPython);
}

TEST_CASE("the newest Python of an installation comes first: 3.12 before 3.9") {
  const TemporaryFolder folder;
  folder.file("venv/lib/python3.9/site-packages/nvidia/nccl/lib/libnccl.so.2");
  folder.file(std::string("venv/") + kInPython);
  const Variables variables(bare({{"VIRTUAL_ENV", folder.at("venv")}}));
  CHECK(find_nccl("").path == folder.at("venv/") + kInPython);
}

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
