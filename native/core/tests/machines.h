#pragma once
// Simulated machines: folders like /sys/devices/system/cpu in a temporary folder.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/cpu_topology.h"

namespace collbench::testing {

/// Hardware threads of one core.
struct DrawnCore {
  std::vector<int> cpus;
  int package = 0;
};

class DrawnMachine {
 public:
  explicit DrawnMachine(const std::vector<DrawnCore>& cores) : topology_(folder_) {
    for (const DrawnCore& core : cores)
      for (const int cpu : core.cpus) {
        const std::string folder = folder_ + "/cpu" + std::to_string(cpu) + "/topology";
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/physical_package_id") << core.package << '\n';
        std::ofstream siblings(folder + "/thread_siblings_list");
        for (const int sibling : core.cpus) siblings << (sibling == core.cpus.front() ? "" : ",") << sibling;
      }
  }
  DrawnMachine(const DrawnMachine&) = delete;
  DrawnMachine& operator=(const DrawnMachine&) = delete;
  ~DrawnMachine() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }

 private:
  static std::string make_folder() {
    std::string folder = std::filesystem::temp_directory_path() / "collbench-cpus-XXXXXX";
    return mkdtemp(folder.data()) == nullptr ? "/nonexistent" : folder;
  }

  const std::string folder_ = make_folder();
  CpuTopology topology_;
};

/// Machine on which the two threads of a core have consecutive numbers, as in many clouds.
inline std::vector<DrawnCore> adjacent_siblings() { return {{{0, 1}}, {{2, 3}}, {{4, 5}}, {{6, 7}}}; }
/// Machine with two packages on which the second half of the CPUs are the second threads, as on most servers.
inline std::vector<DrawnCore> siblings_in_halves() {
  return {{{0, 4}, 0}, {{1, 5}, 0}, {{2, 6}, 1}, {{3, 7}, 1}};
}
/// Machine whose second threads are offline.
inline std::vector<DrawnCore> smt_off() { return {{{0}}, {{2}}, {{4}}, {{6}}}; }
/// Machine of type POWER with eight threads per core.
inline std::vector<DrawnCore> smt8() {
  return {{{0, 1, 2, 3, 4, 5, 6, 7}}, {{8, 9, 10, 11, 12, 13, 14, 15}}};
}

}  // namespace collbench::testing
