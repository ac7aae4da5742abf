#include "engines/nccl/search.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

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
  const cuda::LibrarySearch none = find_nccl(folder.at("nowhere"));
  CHECK(none.path.empty());
  CHECK(contains(cuda::describe_folders(none), folder.at("nowhere/lib")));
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
  folder.file("base/bin/python3.12");  // The file is fake; nothing runs it.
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
