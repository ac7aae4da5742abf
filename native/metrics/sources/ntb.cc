// Non-transparent bridges: counters of each queue pair of the kernel's NTB transport in debugfs, readable by
// root (drivers/ntb/ntb_transport.c, debugfs_read). Dolphin's driver has no counters in files: the transport
// counts SISCI traffic itself (TransportCounters), and the `pcie` channels include the adapter's link.
#include <array>

#include "core/error.h"
#include "metrics/keyed_source.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

struct NtbCounter {
  std::string_view key;
  const char* channel;
  const char* unit;
};
constexpr std::array<NtbCounter, 9> kLines = {{{"rx_bytes", "rxBytes", "bytes"},
                                               {"rx_pkts", "rxPackets", "packets"},
                                               {"rx_ring_empty", "rxRingEmpty", "times"},
                                               {"rx_err_no_buf", "rxNoBuffer", "packets"},
                                               {"rx_err_oflow", "rxOverflows", "packets"},
                                               {"rx_err_ver", "rxVersionErrors", "packets"},
                                               {"tx_bytes", "txBytes", "bytes"},
                                               {"tx_pkts", "txPackets", "packets"},
                                               {"tx_ring_full", "txRingFull", "times"}}};

/// Reads traffic counters of one ntb_transport queue pair (debugfs file).
/// @param text content of the file, with lines such as "rx_bytes - \t123"
/// @param values receives one number for each entry of kLines; kAbsent if its line is missing
void read_queue_pair(std::string_view text, double* values) {
  for (std::size_t i = 0; i < kLines.size(); ++i) values[i] = kAbsent;
  each_whole_line(text, [&](std::string_view line) {
    const std::string_view key = take_word(line);
    for (std::size_t i = 0; i < kLines.size(); ++i)
      if (kLines[i].key == key && take_word(line) == "-") values[i] = take_value(line);
  });
}

class NtbQueuePairs : public Source {
 public:
  explicit NtbQueuePairs(const Roots& roots) {
    const std::string folder = roots.sys + "/kernel/debug/ntb_transport";
    for (const std::string& device : names_in(folder))
      for (const std::string& pair : names_in(folder + "/" + device)) {
        KernelFile file(folder + "/" + device + "/" + pair + "/stats");
        if (!file.read()) continue;
        files_.push_back(std::move(file));
        for (const NtbCounter& line : kLines)
          add_counter("ntb." + device + ":" + pair + "." + line.channel, line.unit);
      }
    if (files_.empty())
      throw Error(ErrorCode::kUnavailable, folder + " shows no queue pair: no NTB transport, or not root");
  }
  void read(double* values) override {
    for (KernelFile& file : files_) {
      read_queue_pair(file.read().value_or(std::string_view{}), values);
      values += kLines.size();
    }
  }

 private:
  std::vector<KernelFile> files_;
};

}  // namespace

std::unique_ptr<Source> open_ntb(const SourceContext& context) {
  return std::make_unique<NtbQueuePairs>(context.roots);
}

}  // namespace collbench::metrics
