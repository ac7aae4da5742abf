#include "core/process_folder.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

using namespace collbench;
namespace fs = std::filesystem;

TEST_CASE("a folder lives as long as its process; that of a killed one goes with the next or on request") {
  std::string cache = "/tmp/collbench-folder-XXXXXX";
  REQUIRE(mkdtemp(cache.data()) != nullptr);
  const char* before = getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  std::string own;
  fs::path killed, elsewhere;
  {
    const ProcessFolder folder;
    own = folder.path();
    CHECK(fs::is_directory(own));
    // The first folder belongs to this machine and an impossible process, the second to another machine.
    const fs::path parent = fs::path(own).parent_path();
    const std::string name = fs::path(own).filename().string();
    const std::string machine = name.substr(0, name.rfind('-', name.rfind('-') - 1));
    killed = parent / (machine + "-999999999-1");
    elsewhere = parent / "process-00000000-1-999999999-1";
    fs::create_directories(killed / "ompi");
    fs::create_directories(elsewhere);
  }
  CHECK_FALSE(fs::exists(own));
  CHECK(fs::exists(killed));
  {
    const ProcessFolder next;
  }
  CHECK_FALSE(fs::exists(killed));
  fs::create_directories(killed / "ompi");
  remove_folders_of_ended_processes();
  CHECK_FALSE(fs::exists(killed));
  CHECK(fs::exists(elsewhere));
  if (before == nullptr)
    unsetenv("XDG_CACHE_HOME");
  else
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  fs::remove_all(cache);
}
