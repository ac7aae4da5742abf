#pragma once
// An MPI on this node: its launcher, the compiler that belongs to it, and what is compiled with that.
#include <cstdint>
#include <functional>
#include <string>

namespace collbench::mpi {

enum class Kind : std::uint8_t { kOpenMpi, kMpich, kIntel };

struct Toolchain {
  std::string mpirun, mpicc;  // paths
  Kind kind = Kind::kOpenMpi;
  std::string name;     // "Open MPI"
  std::string version;  // "4.1.4"
  std::string command;  // what mpicc starts, with its options
  [[nodiscard]] std::string title() const { return name + " " + version; }
  [[nodiscard]] int major() const;
};

struct ToolchainLook {
  Toolchain found;      // complete when why_not is empty
  std::string why_not;  // sentences
  std::string remedy;
};

/// Starts `mpirun --version` and `mpicc -show`. @param wanted mpirun, or the folder of an installation;
/// "" = mpirun in PATH
ToolchainLook find_toolchain(const std::string& wanted, const std::function<bool()>& cancelled);

struct Built {
  std::string bridge;  // shared object
  std::string slot;    // program
};
/// Compiled now or before; the first time takes a second. @throws Error(kUnavailable) with the compiler's
/// words, Error(kCancelled)
Built build(const Toolchain& tools, const std::function<bool()>& cancelled);

/// What `mpirun --version` says: name and version. @returns false: neither Open MPI, MPICH nor Intel MPI
bool read_version(const std::string& text, Toolchain& into);

}  // namespace collbench::mpi
