#include "metrics/sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <memory>

#include "metrics/parse.h"

namespace collbench::metrics {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

/// A kernel file kept open; every read() starts at its beginning and reuses one buffer.
class KernelFile {
 public:
  explicit KernelFile(const char* path)
      : fd_(open(path, O_RDONLY | O_CLOEXEC)), buffer_(kInitialBytes, '\0') {}
  ~KernelFile() {
    if (fd_ >= 0) close(fd_);
  }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  std::string_view read() {
    if (fd_ < 0) return {};
    std::size_t used = 0;
    for (;;) {
      const ssize_t n = pread(fd_, buffer_.data() + used, buffer_.size() - used, static_cast<off_t>(used));
      if (n <= 0) break;
      used += static_cast<std::size_t>(n);
      if (used == buffer_.size())
        buffer_.resize(2 * used);  // first reads only: machines with hundreds of cores
    }
    return std::string_view(buffer_).substr(0, used);
  }

 private:
  static constexpr std::size_t kInitialBytes = 16384;
  int fd_;
  std::string buffer_;
};

class CpuSource : public Source {
 public:
  CpuSource() : ns_per_tick_(1e9 / static_cast<double>(sysconf(_SC_CLK_TCK))) {
    for (const CpuTicks& cpu : parse_proc_stat(file_.read())) {
      if (cpu.core < 0) continue;
      cores_.push_back(cpu.core);
      const std::string name = "cpu" + std::to_string(cpu.core);
      channels_.push_back({name + ".busy", "ns", true});
      channels_.push_back({name + ".steal", "ns", true});
    }
  }
  [[nodiscard]] std::span<const Channel> channels() const override { return channels_; }
  void read(double* values) override {
    for (std::size_t i = 0; i < channels_.size(); ++i) values[i] = kAbsent;
    for (const CpuTicks& cpu : parse_proc_stat(file_.read()))
      for (std::size_t i = 0; i < cores_.size(); ++i)
        if (cores_[i] == cpu.core) {
          values[2 * i] = static_cast<double>(cpu.total() - cpu.idle()) * ns_per_tick_;
          values[2 * i + 1] = static_cast<double>(cpu.ticks[7]) * ns_per_tick_;
        }
  }

 private:
  KernelFile file_{"/proc/stat"};
  double ns_per_tick_;
  std::vector<int> cores_;
  std::vector<Channel> channels_;
};

class MemorySource : public Source {
 public:
  [[nodiscard]] std::span<const Channel> channels() const override { return channels_; }
  void read(double* values) override {
    const auto available = parse_meminfo(memory_.read(), "MemAvailable");
    values[0] = available ? static_cast<double>(*available) : kAbsent;
    const auto memory_stall = parse_pressure_some_us(memory_pressure_.read());
    values[1] = memory_stall ? static_cast<double>(*memory_stall) : kAbsent;
    const auto cpu_stall = parse_pressure_some_us(cpu_pressure_.read());
    values[2] = cpu_stall ? static_cast<double>(*cpu_stall) : kAbsent;
  }

 private:
  KernelFile memory_{"/proc/meminfo"}, memory_pressure_{"/proc/pressure/memory"},
      cpu_pressure_{"/proc/pressure/cpu"};
  std::vector<Channel> channels_ = {{"memory.available", "bytes", false},
                                    {"pressure.memory.some", "us", true},
                                    {"pressure.cpu.some", "us", true}};
};

class NetworkSource : public Source {
 public:
  NetworkSource() {
    for (const InterfaceCounters& interface : parse_net_dev(file_.read())) {
      names_.push_back(interface.name);
      const std::string prefix = "net." + interface.name + ".";
      channels_.push_back({prefix + "rxBytes", "bytes", true});
      channels_.push_back({prefix + "txBytes", "bytes", true});
      channels_.push_back({prefix + "errors", "packets", true});
      channels_.push_back({prefix + "dropped", "packets", true});
    }
  }
  [[nodiscard]] std::span<const Channel> channels() const override { return channels_; }
  void read(double* values) override {
    for (std::size_t i = 0; i < channels_.size(); ++i) values[i] = kAbsent;
    for (const InterfaceCounters& interface : parse_net_dev(file_.read()))
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (names_[i] == interface.name) {
          values[4 * i] = static_cast<double>(interface.rx_bytes);
          values[4 * i + 1] = static_cast<double>(interface.tx_bytes);
          values[4 * i + 2] = static_cast<double>(interface.rx_errors + interface.tx_errors);
          values[4 * i + 3] = static_cast<double>(interface.rx_dropped + interface.tx_dropped);
        }
  }

 private:
  KernelFile file_{"/proc/net/dev"};
  std::vector<std::string> names_;
  std::vector<Channel> channels_;
};

template <typename T>
std::unique_ptr<Source> open_source() {
  auto source = std::make_unique<T>();
  if (source->channels().empty()) return nullptr;
  return source;
}

constexpr SourceEntry kSources[] = {
    {"cpu", "busy and stolen time of each core (/proc/stat)", &open_source<CpuSource>},
    {"memory", "free memory and stall time (/proc/meminfo, /proc/pressure)", &open_source<MemorySource>},
    {"network", "bytes and errors of each interface (/proc/net/dev)", &open_source<NetworkSource>},
};

}  // namespace

std::span<const SourceEntry> sources() { return kSources; }

}  // namespace collbench::metrics
