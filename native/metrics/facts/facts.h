#pragma once
// Facts about a machine's hardware and settings, from its kernel and files. The agent reads them on request
// (message `facts`) and sends the text unchanged; the controller interprets it (results/machine). files.cc
// fixes the files: the agent cannot be asked for others.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::facts {

/// Content of files of the machine, by absolute path. A path is the one on the machine itself, even if the
/// files were read from a copy in another root folder.
struct Files {
  std::map<std::string, std::string> text;   // content; PCI `config` files in hex
  std::map<std::string, std::string> links;  // resolved target of a symbolic link; "" = dangling
  std::vector<std::string> denied;           // files that exist but this user may not read
  std::vector<std::string> cut;              // files longer than the limit, cut
  std::size_t bytes = 0;                     // bytes of all text
  bool full = false;                         // true: kMaxFiles or kMaxBytes was reached
};

/// Facts about the running machine that are in no file. They are missing if recorded files of another machine
/// are read.
struct Live {
  std::string glibc;                       // version: "2.36"
  std::int64_t shm_bytes = -1;             // size of /dev/shm; -1 = there is none
  std::int64_t shm_free_bytes = -1;        // free bytes of it
  std::optional<bool> clock_synchronised;  // true: NTP or PTP synchronises the wall clock
  std::int64_t clock_max_error_us = 0;     // largest error of the wall clock that the kernel expects, us
  std::int64_t realtime_ns = 0;            // wall clock, ns
  bool root = false;                       // true: this process may read everything
  std::string stat_later;  // second reading of /proc/stat, kStatGapMs after the one in the files
  std::map<std::string, std::string> environment;  // environment of the agent, filtered by environment.h
};

/// A GPU as NVML reports it; -1 for numbers that it does not report.
struct GpuFacts {
  std::string pci, name;                               // PCI address: "0000:1b:00.0"
  int link_width = -1, link_width_max = -1;            // PCIe lanes: now, and most possible
  int link_generation = -1, link_generation_max = -1;  // PCIe generation: now, and highest possible
  int processes = -1;                                  // processes that compute on it now
  std::int64_t memory_bytes = -1, memory_used_bytes = -1;
  int persistence = -1;  // 0 or 1; -1 = unknown
  int nvlinks = -1;      // links that are up
  /// speed of one NVLink in one direction, in 1e6 bytes per second as the driver reports it; -1 = unknown
  int nvlink_mbps = -1;
  /// Number of active NVLinks by what they lead to: the PCI address of a GPU, "switch", or "" if the driver
  /// does not report it.
  std::map<std::string, int> nvlink_ends;
};
struct Nvml {
  std::string missing;  // reason why NVML is missing; "" = it is there
  std::string driver;   // driver version: "570.86.15"
  std::vector<GpuFacts> gpus;
};

struct LibraryFacts {
  std::string name;      // name searched for: "libnccl.so.2"
  std::string path;      // path with links resolved, so that the file's own name shows its version
  std::string problem;   // reason why this machine cannot load it; "" = no problem found
  std::string build_id;  // build id in hex; "" = none
  std::int64_t bytes = 0;
  std::string sha256;                // "" = not requested, or the file is too large
  std::vector<std::string> symbols;  // symbols of NCCL's plugin interfaces: "ncclNetPlugin_v8"
};

/// All facts about a machine that may explain results. `live` and `nvml` are nullopt if `files` were recorded
/// on another machine.
struct MachineFacts {
  Files files;
  std::optional<Live> live;
  std::optional<Nvml> nvml;
  std::vector<LibraryFacts> libraries;
};

struct FactsRequest {
  std::string root = "/";            // "/" = this machine, else folder with files copied from another one
  std::vector<std::string> plugins;  // additional libraries to examine
  bool hashes = false;               // true: hashes every library found, which takes up to seconds
  bool brief = false;                // true: leaves out the current load, which takes kStatGapMs
};

inline constexpr int kStatGapMs = 200;
inline constexpr std::size_t kMaxFileBytes = 32768;
inline constexpr std::size_t kMaxFiles = 20'000;
inline constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

/// Reads all facts. What the machine lacks is left out and causes no exception. `live` and `nvml` are read
/// only if the request's root is "/". Reading `live` takes kStatGapMs unless the request is brief; all else
/// takes some milliseconds per hundred PCI devices.
MachineFacts read_facts(const FactsRequest& request);

/// Adds to `files` the text of the /proc, /sys and /etc files that explain results; files.cc has the list. A
/// part of read_facts().
/// @param root "/", or the folder of a recorded tree
void read_files(const std::string& root, Files& files);
/// Adds to `files` the sysfs files of PCI devices that move data (network adapters, GPUs, accelerators), and
/// of the bridges above them. A part of read_facts().
void read_pci(const std::string& root, Files& files);
/// Returns the facts about this machine that files cannot show (see Live), such as the size of /dev/shm,
/// clock synchronisation and environment variables. A part of read_facts().
/// @param brief true: leaves out the second reading of /proc/stat, which takes kStatGapMs
Live read_live(bool brief);
/// Returns driver version and GPUs as NVIDIA's management library (NVML) reports them. If the library cannot
/// be used, returns only the reason, in Nvml::missing. A part of read_facts().
/// @param library libnvidia-ml.so.1, or a fake in tests
Nvml read_nvml(const std::string& library);
/// Finds the libraries that carry communication (NCCL and its plugins, MPI, libcuda, libibverbs, ...) below
/// the request's root, and those that the request names. A part of read_facts().
std::vector<LibraryFacts> find_libraries(const FactsRequest& request);

/// Adds to `files` the text of all files whose path below `root` matches a glob(3) pattern, which may have
/// braces. Text is cut after kMaxFileBytes; files that cannot be read are left out. Adds nothing once
/// kMaxFiles or kMaxBytes is reached.
void add_text(const std::string& root, const std::string& pattern, Files& files);
/// Adds to files.links, for each path below `root` that matches a glob(3) pattern, the path to which it
/// resolves; both without `root`. The pattern may have braces. A path that is no symbolic link resolves to
/// itself. Adds nothing once kMaxFiles or kMaxBytes is reached.
void add_link(const std::string& root, const std::string& pattern, Files& files);
/// Adds to `files` the first `most` bytes of a binary file below `root`, as hexadecimal text; nothing if the
/// file cannot be read, or once kMaxFiles or kMaxBytes is reached.
void add_hex(const std::string& root, const std::string& path, std::size_t most, Files& files);

}  // namespace collbench::facts
