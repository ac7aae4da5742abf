#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "engines/mpi/slots.h"

using namespace collbench::mpi;
namespace fs = std::filesystem;

TEST_CASE("a folder lives as long as its launch; what a killed launch left goes with the next one") {
  std::string cache = "/tmp/collbench-folder-XXXXXX";
  REQUIRE(mkdtemp(cache.data()) != nullptr);
  const char* before = getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  std::string own;
  fs::path killed, elsewhere;
  {
    const LauncherFolder folder;
    own = folder.path();
    CHECK(fs::is_directory(own));
    // The first folder belongs to this machine and an impossible process, the second to another machine.
    const fs::path parent = fs::path(own).parent_path();
    const std::string name = fs::path(own).filename().string();
    const std::string machine = name.substr(0, name.rfind('-', name.rfind('-') - 1));
    killed = parent / (machine + "-999999999-1");
    elsewhere = parent / "mpi-run-00000000-1-999999999-1";
    fs::create_directories(killed / "ompi");
    fs::create_directories(elsewhere);
  }
  CHECK_FALSE(fs::exists(own));
  CHECK(fs::exists(killed));
  {
    const LauncherFolder next;
  }
  CHECK_FALSE(fs::exists(killed));
  CHECK(fs::exists(elsewhere));
  if (before == nullptr)
    unsetenv("XDG_CACHE_HOME");
  else
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  fs::remove_all(cache);
}
