// /sys/class/infiniband/*/ports/*: traffic and errors of RDMA ports. The port counters are those of the
// InfiniBand specification (Documentation/ABI/stable/sysfs-class-infiniband), the others the driver's own.
#include <array>

#include "core/error.h"
#include "metrics/sources/openers.h"
#include "metrics/value_files.h"

namespace collbench::metrics {
namespace {

struct Counter {
  const char* file;  // path below the port's folder
  const char* channel;
  const char* unit;
  double scale = 1;
};
constexpr double kBytesPerWord = 4;  // data counters count words of 4 bytes
constexpr std::array<Counter, 5> kTraffic = {{
    {"counters/port_xmit_data", "txBytes", "bytes", kBytesPerWord},
    {"counters/port_rcv_data", "rxBytes", "bytes", kBytesPerWord},
    {"counters/port_xmit_packets", "txPackets", "packets"},
    {"counters/port_rcv_packets", "rxPackets", "packets"},
    {"counters/port_xmit_wait", "txWait", "ticks"},
}};
constexpr std::array<Counter, 20> kFaults = {{
    {"counters/symbol_error", "symbolErrors", "errors"},
    {"counters/link_error_recovery", "linkRecoveries", "errors"},
    {"counters/link_downed", "linkDowned", "times"},
    {"counters/port_rcv_errors", "rxErrors", "packets"},
    {"counters/port_xmit_discards", "txDiscards", "packets"},
    {"counters/local_link_integrity_errors", "linkIntegrityErrors", "errors"},
    {"counters/excessive_buffer_overrun_errors", "bufferOverruns", "errors"},
    {"counters/VL15_dropped", "managementDrops", "packets"},
    {"hw_counters/out_of_sequence", "outOfSequence", "packets"},
    {"hw_counters/packet_seq_err", "packetSequenceErrors", "packets"},
    {"hw_counters/rnr_nak_retry_err", "rnrRetries", "packets"},
    {"hw_counters/local_ack_timeout_err", "ackTimeouts", "times"},
    {"hw_counters/implied_nak_seq_err", "impliedNaks", "packets"},
    {"hw_counters/duplicate_request", "duplicateRequests", "packets"},
    {"hw_counters/rx_icrc_encapsulated", "icrcErrors", "packets"},
    {"hw_counters/np_cnp_sent", "cnpSent", "packets"},
    {"hw_counters/rp_cnp_handled", "cnpHandled", "packets"},
    {"hw_counters/np_ecn_marked_roce_packets", "ecnMarked", "packets"},
    {"hw_counters/roce_adp_retrans", "adaptiveRetransmits", "packets"},
    {"hw_counters/out_of_buffer", "outOfBuffer", "packets"},
}};

class RdmaPorts : public ValueFiles {
 public:
  template <std::size_t N>
  RdmaPorts(const Roots& roots, const std::array<Counter, N>& counters) {
    const std::string folder = roots.sys + "/class/infiniband";
    const auto devices = names_in(folder);
    for (const std::string& device : devices)
      for (const std::string& port : names_in(folder + "/" + device + "/ports")) {
        const std::string place = folder + "/" + device + "/ports/" + port + "/";
        const std::string prefix = "rdma." + device + ":" + port + ".";
        for (const Counter& one : counters)
          add_file(place + one.file, prefix + one.channel, one.unit, true, one.scale);
      }
    if (devices.empty())
      throw Error(ErrorCode::kUnavailable, folder + " has no device: no RDMA adapter, or no driver for it");
    if (channels().empty())
      throw Error(ErrorCode::kUnavailable,
                  "no port below " + folder + " shows counters (a virtual function?)");
  }
};

}  // namespace

std::unique_ptr<Source> open_rdma(const SourceContext& context) {
  return std::make_unique<RdmaPorts>(context.roots, kTraffic);
}
std::unique_ptr<Source> open_rdma_faults(const SourceContext& context) {
  return std::make_unique<RdmaPorts>(context.roots, kFaults);
}

}  // namespace collbench::metrics
