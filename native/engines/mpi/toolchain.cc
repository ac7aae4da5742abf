#include "engines/mpi/toolchain.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/cached_build.h"
#include "core/clock.h"
#include "core/environment.h"
#include "core/error.h"
#include "engines/worker/child.h"

namespace collbench::mpi {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCommandNs = 20'000'000'000;
constexpr int kOldestOpenMpi = 3;  // First version with PMIx.
constexpr int kOldestMpich = 3;

constexpr const char* kInstall =
    "Install an MPI with its compiler (Debian: openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev), "
    "or "
    "name its mpirun with --mpi.";

std::string first_program(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (const fs::path& folder : folders)
      if (is_program(folder / name)) return (folder / name).string();
  return "";
}

struct ProgramOutput {
  bool ended = false, ok = false;
  std::string text;
};

/// Runs `program` for at most 20 s and returns its output, stdout and stderr, up to 64 KiB.
/// A program that does not end in time is killed; then `ended` and `ok` are false.
/// @throws Error(kCancelled) after it has killed the program
ProgramOutput run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::function<bool()>& cancelled) {
  const FileDescriptor log(memfd_create("collbench-mpi", MFD_CLOEXEC));
  worker::Child child({program, "", arguments, {}, log.get()});
  ProgramOutput output;
  const std::int64_t end = now_ns() + kCommandNs;
  constexpr std::int64_t kSliceNs = 50'000'000;
  while (!child.ended(kSliceNs) && now_ns() < end)
    if (cancelled && cancelled()) throw Error(ErrorCode::kCancelled, "stopped while " + program + " ran");
  output.ended = child.ended(0);
  output.ok = child.end(0);
  constexpr std::size_t kMaxOutput = 65536;
  output.text.resize(kMaxOutput);
  const ssize_t n = pread(log.get(), output.text.data(), output.text.size(), 0);
  output.text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (output.text.ends_with('\n')) output.text.pop_back();
  return output;
}

std::string first_line(const std::string& text) {
  return text.empty() ? "nothing" : text.substr(0, text.find('\n'));
}

void find_launcher(const std::string& wanted, MpiToolchainSearch& look) {
  const std::vector<std::string> names = {"mpirun", "mpiexec"};
  if (wanted.empty()) {
    look.found.mpirun = first_program(folders_in("PATH"), names);
    if (look.found.mpirun.empty()) look.why_not = "No MPI found: there is no mpirun in PATH.";
  } else if (is_program(wanted)) {
    look.found.mpirun = fs::absolute(wanted).string();
  } else {
    look.found.mpirun = first_program({fs::path(wanted) / "bin", wanted}, names);
    if (look.found.mpirun.empty()) look.why_not = "There is no mpirun at " + wanted + " (--mpi).";
  }
  if (!look.why_not.empty()) look.remedy = kInstall;
}

/// Looks for mpicc in the launcher's folder, with the launcher's suffix (mpirun.mpich, mpicc.mpich), then in
/// PATH. Writes the result into `look`.
void find_compiler(MpiToolchainSearch& look) {
  const fs::path mpirun = look.found.mpirun;
  const std::string ending = mpirun.extension().string();
  std::vector<fs::path> folders = folders_in("PATH");
  folders.insert(folders.begin(), mpirun.parent_path());
  look.found.mpicc = first_program(folders, {"mpicc" + ending});
  if (!look.found.mpicc.empty()) return;
  look.why_not = "There is " + look.found.mpirun + ", but no mpicc" + ending +
                 " beside it or in PATH: collbench compiles a small part against the MPI of the node.";
  look.remedy = "Install the compiler and headers of this MPI (Debian: libopenmpi-dev or libmpich-dev).";
}

void note_hang(const std::string& command, MpiToolchainSearch& look) {
  look.why_not = command + " did not end within " + std::to_string(kCommandNs / 1'000'000'000) + " s.";
  look.remedy = "Run it by hand to see what it waits for, or name another mpirun with --mpi.";
}

void ask(MpiToolchainSearch& look, const std::function<bool()>& cancelled) {
  MpiToolchain& found = look.found;
  const ProgramOutput version = run_program(found.mpirun, {"--version"}, cancelled);
  if (!version.ended) return note_hang(found.mpirun + " --version", look);
  if (!version.ok || !read_version(version.text, found)) {
    look.why_not = found.mpirun + " --version says \"" + first_line(version.text) +
                   "\": it is neither Open MPI, MPICH nor Intel MPI.";
    look.remedy = kInstall;
    return;
  }
  const int oldest = found.kind == MpiImplementation::kOpenMpi ? kOldestOpenMpi : kOldestMpich;
  if (found.major() < oldest) {
    look.why_not = found.title() + " (" + found.mpirun + ") is too old: " + found.name + " " +
                   std::to_string(oldest) + ".0 or newer is needed.";
    look.remedy = kInstall;
    return;
  }
  const ProgramOutput command = run_program(found.mpicc, {"-show"}, cancelled);
  if (!command.ended) return note_hang(found.mpicc + " -show", look);
  if (!command.ok) {
    look.why_not = found.mpicc + " -show failed: " + first_line(command.text) + ".";
    look.remedy = "Install the compiler that it starts (Debian: gcc).";
    return;
  }
  found.command = command.text;
}

CachedBuild wanted(const MpiToolchain& tools, const char* text, const std::function<bool()>& cancelled) {
  CachedBuild build;
  build.what = "the part that calls " + tools.title();
  build.compiler = tools.mpicc;
  build.title = "mpicc";
  build.ending = ".c";
  build.source = text;
  build.key = {tools.name, tools.version, tools.command};
  build.cancelled = cancelled;
  return build;
}

}  // namespace

int MpiToolchain::major() const { return std::atoi(version.c_str()); }

bool read_version(const std::string& text, MpiToolchain& into) {
  struct VersionPattern {
    MpiImplementation kind;
    const char *name, *sign, *before;  // `before` is the text in front of the version.
  };
  constexpr VersionPattern kRows[] = {
      {MpiImplementation::kOpenMpi, "Open MPI", "(Open MPI)", "(Open MPI) "},
      {MpiImplementation::kIntel, "Intel MPI", "Intel(R) MPI Library", "Version "},
      {MpiImplementation::kMpich, "MPICH", "HYDRA", "Version:"}};
  for (const VersionPattern& row : kRows) {
    if (text.find(row.sign) == std::string::npos) continue;
    const std::size_t at = text.find(row.before);
    if (at == std::string::npos) return false;
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return false;
    into.kind = row.kind;
    into.name = row.name;
    into.version = text.substr(begin, text.find_first_of(" \t\r\n,", begin) - begin);
    return true;
  }
  return false;
}

MpiToolchainSearch find_toolchain(const std::string& wanted, const std::function<bool()>& cancelled) {
  MpiToolchainSearch look;
  find_launcher(wanted, look);
  if (look.why_not.empty()) find_compiler(look);
  if (look.why_not.empty()) ask(look, cancelled);
  return look;
}

bool has_ucx(const MpiToolchain& tools, const std::function<bool()>& cancelled) {
  if (tools.kind == MpiImplementation::kIntel) return false;
  if (tools.kind == MpiImplementation::kMpich)
    return run_program(tools.mpirun, {"--version"}, cancelled).text.find("ucx") != std::string::npos;
  const fs::path mpirun = tools.mpirun;
  const std::string info = first_program({mpirun.parent_path()}, {"ompi_info" + mpirun.extension().string()});
  if (info.empty()) return true;
  return run_program(info, {}, cancelled).text.find("MCA pml: ucx") != std::string::npos;
}

CompiledBridge build(const MpiToolchain& tools, const std::function<bool()>& cancelled) {
  CachedBuild bridge = wanted(tools, bridge_text(), cancelled), slot = wanted(tools, slot_text(), cancelled);
  bridge.name = "mpi-bridge";
  bridge.command = [&](const std::string& source, const std::string& object) -> std::vector<std::string> {
    return {tools.mpicc, "-std=c11", "-O2", "-fPIC", "-shared", "-o", object, source};
  };
  slot.name = "mpi-slot";
  slot.object_ending = "";
  slot.command = [&](const std::string& source, const std::string& object) -> std::vector<std::string> {
    return {tools.mpicc, "-std=c11", "-O2", "-o", object, source};
  };
  return {build_cached(bridge), build_cached(slot)};
}

}  // namespace collbench::mpi
