#pragma once
// An MPI on this node: its launcher, its compiler, and the programs compiled with it.
#include <cstdint>
#include <functional>
#include <string>

namespace collbench::mpi {

enum class MpiImplementation : std::uint8_t { kOpenMpi, kMpich, kIntel };

struct MpiToolchain {
  std::string mpirun, mpicc;  // Paths.
  MpiImplementation kind = MpiImplementation::kOpenMpi;
  std::string name;     // Name for messages: "Open MPI".
  std::string version;  // "4.1.4".
  std::string command;  // Compiler command with options that mpicc runs.
  [[nodiscard]] std::string title() const { return name + " " + version; }
  [[nodiscard]] int major() const;
};

struct MpiToolchainSearch {
  MpiToolchain found;   // Complete only if why_not is empty.
  std::string why_not;  // Why no MPI was found, as sentences; "" = found.
  std::string remedy;   // Advice for the user in that case, as a sentence.
};

/// Looks for an MPI on this machine. Runs `mpirun --version` and `mpicc -show`.
/// @param wanted path of mpirun, or folder of an installation; "" = mpirun in PATH
/// @param cancelled polled while programs run; true kills the program
/// @throws Error(kCancelled)
MpiToolchainSearch find_toolchain(const std::string& wanted, const std::function<bool()>& cancelled);

/// Returns true if this MPI is built with UCX: Open MPI by `ompi_info` beside its mpirun, MPICH by its
/// configure options. Also true if Open MPI has no ompi_info, because a launch then shows it.
/// @throws Error(kCancelled)
bool has_ucx(const MpiToolchain& tools, const std::function<bool()>& cancelled);

struct CompiledBridge {
  std::string bridge;  // Path of the shared object.
  std::string slot;    // Path of the program.
};
/// Returns the shared object through which ranks call this MPI, and the program that mpirun starts for each
/// rank. Both come from the cache if possible; compiling them takes about a second.
/// @throws Error(kUnavailable) with the compiler's output, Error(kCancelled)
CompiledBridge build(const MpiToolchain& tools, const std::function<bool()>& cancelled);

/// Parses the output of `mpirun --version` and writes kind, name and version into `into`.
/// @returns false if it is not Open MPI, MPICH or Intel MPI
bool read_version(const std::string& text, MpiToolchain& into);

/// Returns the C source of the bridge (abi.h, then bridge.c), through which a rank calls MPI. slot_text()
/// returns the source of slot.c, the program that MPI's launcher starts for each rank. Both are compiled on
/// the node, because the ABI of its MPI is not known earlier.
const char* bridge_text() noexcept;
const char* slot_text() noexcept;

}  // namespace collbench::mpi
