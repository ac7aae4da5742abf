#include "engines/mpi/toolchain.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"

using namespace collbench;
using namespace collbench::mpi;
namespace fs = std::filesystem;

namespace {

/// Folder of a made-up MPI, whose two programs are shell scripts.
class MpiFolder {
 public:
  MpiFolder() {
    std::string name = (fs::temp_directory_path() / "collbench-mpi-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~MpiFolder() { fs::remove_all(path_); }
  MpiFolder(const MpiFolder&) = delete;
  MpiFolder& operator=(const MpiFolder&) = delete;
  void write(const std::string& mpirun, const std::string& mpicc) const {
    for (const auto& [name, script] : {std::pair{"mpirun", mpirun}, std::pair{"mpicc", mpicc}}) {
      std::ofstream(path_ / name) << "#!/bin/sh\n" << script << "\n";
      fs::permissions(path_ / name, fs::perms::owner_all);
    }
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

constexpr const char* kOpenMpi = "echo 'mpirun (Open MPI) 4.1.4'";

/// Returns name and text of the error that ends a search; "" if there is none.
std::string error_of(const std::string& mpi, const std::function<bool()>& cancelled) {
  try {
    find_toolchain(mpi, cancelled);
  } catch (const Error& error) {
    return std::string(error_code_name(error.code())) + ": " + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a search for an MPI finds both programs, or reports what one printed instead") {
  const MpiFolder folder;
  folder.write(kOpenMpi, "echo gcc -I/opt/mpi");
  const MpiToolchainSearch whole = find_toolchain(folder.at(""), {});
  CHECK(whole.why_not.empty());
  CHECK(whole.found.title() == "Open MPI 4.1.4");
  CHECK(whole.found.command == "gcc -I/opt/mpi");
  folder.write("echo hello", "echo gcc");
  CHECK(find_toolchain(folder.at(""), {}).why_not.find("says \"hello\": it is neither") != std::string::npos);
}

TEST_CASE("whether an MPI has UCX is known from its own list of components or its configure options") {
  const MpiFolder folder;
  const std::string info = folder.at("ompi_info");
  MpiToolchain open_mpi;
  open_mpi.mpirun = folder.at("mpirun");
  const auto list = [&](const std::string& text) {
    std::ofstream(info) << "#!/bin/sh\necho '" << text << "'\n";
    fs::permissions(info, fs::perms::owner_all);
  };
  CHECK(has_ucx(open_mpi, {}));  // Without ompi_info nobody knows.
  list("MCA pml: ob1 (MCA v2.1.0)");
  CHECK_FALSE(has_ucx(open_mpi, {}));
  list("MCA pml: ucx (MCA v2.1.0)");
  CHECK(has_ucx(open_mpi, {}));
  MpiToolchain mpich = open_mpi;
  mpich.kind = MpiImplementation::kMpich;
  folder.write("echo \"HYDRA build details: '--with-device=ch4:ofi'\"", "true");
  CHECK_FALSE(has_ucx(mpich, {}));
  folder.write("echo \"HYDRA build details: '--with-device=ch4:ucx'\"", "true");
  CHECK(has_ucx(mpich, {}));
  MpiToolchain intel = open_mpi;
  intel.kind = MpiImplementation::kIntel;
  CHECK_FALSE(has_ucx(intel, {}));
}

TEST_CASE("a cancelled search throws that it was cancelled, whichever program it waits for") {
  const MpiFolder folder;
  const std::string started = folder.at("started");
  const std::string hangs = "touch " + started + "; exec sleep 1000000";
  for (const bool is_launcher : {true, false}) {
    CAPTURE(is_launcher);
    fs::remove(started);
    folder.write(is_launcher ? hangs : kOpenMpi, is_launcher ? "echo gcc" : hangs);
    CHECK(error_of(folder.at(""), [&] {
            return fs::exists(started);
          }).starts_with("cancelled: stopped while " + folder.at("mpi")));
  }
}
