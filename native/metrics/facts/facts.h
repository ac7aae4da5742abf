#pragma once
// What a machine is made of and how it is set up, as its kernel and its files tell it: read when asked for
// (agent message `facts`), told word for word, and understood by the controller (results/machine). Which
// files are read is fixed in files.cc: nobody can ask the agent for another one.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::facts {

/// Files by their absolute path as on the machine, whatever root they were read below.
struct Files {
  std::map<std::string, std::string> text;   // content; that of PCI `config` files in hex
  std::map<std::string, std::string> links;  // where a symbolic link leads, resolved; "" = dangling
  std::vector<std::string> denied;           // there, but not for this user
  std::vector<std::string> cut;              // longer than is kept
  std::size_t bytes = 0;                     // of all text
  bool full = false;                         // there was more than kMostFiles or kMostBytes
};

/// What no file tells; absent when another root than "/" was read.
struct Live {
  std::string glibc;                               // "2.36"
  std::int64_t shm_bytes = -1;                     // size of /dev/shm; -1 = there is none
  std::int64_t shm_free_bytes = -1;                //
  std::optional<bool> clock_synchronised;          // the wall clock, as the kernel was told by NTP or PTP
  std::int64_t clock_max_error_us = 0;             //
  std::int64_t realtime_ns = 0;                    // wall clock
  bool root = false;                               // we may read everything
  std::string stat_later;                          // /proc/stat again, kStatGapMs after the one in the files
  std::map<std::string, std::string> environment;  // of the agent: what environment.h lets pass
};

/// A GPU as NVML tells it; numbers are -1 where it does not.
struct Gpu {
  std::string pci, name;  // "0000:1b:00.0"
  int link_width = -1, link_width_max = -1;
  int link_generation = -1, link_generation_max = -1;
  int processes = -1;  // that compute on it now
  std::int64_t memory_bytes = -1, memory_used_bytes = -1;
  int persistence = -1;  // 0 or 1
  int nvlinks = -1;      // that are up
  int nvlink_mbps = -1;  // each, one direction, 1e6 bytes per second as the driver tells it
  /// Links that are up, by where they lead: a PCI address, "switch", or "" where the driver does not say.
  std::map<std::string, int> nvlink_ends;
};
struct Nvml {
  std::string missing;  // why there is none; "" = there is one
  std::string driver;   // "570.86.15"
  std::vector<Gpu> gpus;
};

struct Library {
  std::string name;      // "libnccl.so.2": what was looked for
  std::string path;      // with links followed, so that the file's own name tells its version
  std::string problem;   // why it is no library that this machine can load; "" = none is seen
  std::string build_id;  // hex; "" = none
  std::int64_t bytes = 0;
  std::string sha256;                // "" = not asked for, or too large
  std::vector<std::string> symbols;  // of NCCL's plugin interfaces: "ncclNetPlugin_v8"
};

struct MachineFacts {
  Files files;
  std::optional<Live> live;
  std::optional<Nvml> nvml;
  std::vector<Library> libraries;
};

struct Request {
  std::string root = "/";            // another one for recorded trees
  std::vector<std::string> plugins;  // further libraries to look at
  bool hashes = false;               // reads every library found, up to seconds
  bool brief = false;                // without the load of the moment, which takes kStatGapMs
};

inline constexpr int kStatGapMs = 200;
inline constexpr std::size_t kMostFileBytes = 32768;
inline constexpr std::size_t kMostFiles = 20'000;
inline constexpr std::size_t kMostBytes = std::size_t{8} << 20;

/// Never throws for what a machine lacks. Takes kStatGapMs and some milliseconds per hundred PCI devices.
MachineFacts read_facts(const Request& request);

/// Parts of it, each in a file of its own.
void read_files(const std::string& root, Files& files);
void read_pci(const std::string& root, Files& files);
Live read_live(bool brief);
/// @param library libnvidia-ml.so.1, or a test's double
Nvml read_nvml(const std::string& library);
std::vector<Library> find_libraries(const Request& request);

/// Reads one file or link into `files`; a pattern of glob(3) with braces stands for several.
void add_text(const std::string& root, const std::string& pattern, Files& files);
void add_link(const std::string& root, const std::string& pattern, Files& files);
void add_hex(const std::string& root, const std::string& path, std::size_t most, Files& files);

}  // namespace collbench::facts
