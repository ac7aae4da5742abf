// /proc/net/snmp and /proc/net/netstat: TCP segments, retransmissions and timeouts (RFC 4022, and the
// kernel's snmp_counter.rst). Both have pairs of lines, "Tcp: Name Name ..." and "Tcp: 1 2 ...".
#include <array>
#include <cmath>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

struct Field {
  std::string_view name, channel;
  const char* unit;
};
constexpr std::array<Field, 5> kSnmp = {{{"InSegs", "inSegs", "segments"},
                                         {"OutSegs", "outSegs", "segments"},
                                         {"RetransSegs", "retransSegs", "segments"},
                                         {"InErrs", "inErrs", "segments"},
                                         {"OutRsts", "outRsts", "segments"}}};
constexpr std::array<Field, 8> kNetstat = {{{"TCPLostRetransmit", "lostRetransmits", "segments"},
                                            {"TCPFastRetrans", "fastRetransmits", "segments"},
                                            {"TCPSlowStartRetrans", "slowStartRetransmits", "segments"},
                                            {"TCPTimeouts", "timeouts", "timeouts"},
                                            {"TCPBacklogDrop", "backlogDrops", "segments"},
                                            {"TCPRcvQDrop", "receiveQueueDrops", "segments"},
                                            {"TCPOFOQueue", "outOfOrder", "segments"},
                                            {"TCPSynRetrans", "synRetransmits", "segments"}}};

/// Reads numbers from a pair of lines that begin with the same prefix: the first line has the names, the
/// second the numbers. Fields without a number become kAbsent.
/// @param prefix "Tcp:" or "TcpExt:"
template <std::size_t N>
void read_pair(std::string_view text, std::string_view prefix, const std::array<Field, N>& fields,
               double* values) {
  for (std::size_t i = 0; i < N; ++i) values[i] = kAbsent;
  std::string_view names;  // names in the previous line, if it was the first of a pair
  each_whole_line(text, [&](std::string_view line) {
    std::string_view heading = names;
    names = {};
    if (take_word(line) != prefix) return;
    if (heading.empty()) {
      names = line;
      return;
    }
    std::size_t expected = 0;
    for (std::string_view name; !(name = take_word(heading)).empty();) {
      const double value = take_value(line);
      for (std::size_t i = 0; i < N; ++i) {
        const std::size_t at = (expected + i) % N;
        if (fields[at].name != name) continue;
        values[at] = value;
        expected = at + 1;
        break;
      }
    }
  });
}

class TcpSource : public Source {
 public:
  explicit TcpSource(const Roots& roots)
      : snmp_path_(roots.proc + "/net/snmp"),
        netstat_path_(roots.proc + "/net/netstat"),
        snmp_(snmp_path_),
        netstat_(netstat_path_) {
    if (!snmp_.read()) throw system_error(ErrorCode::kUnavailable, snmp_path_, snmp_.error());
    for (const Field& field : kSnmp) add_counter("tcp." + std::string(field.channel), field.unit);
    for (const Field& field : kNetstat) add_counter("tcp." + std::string(field.channel), field.unit);
  }
  void read(double* values) override {
    const auto snmp = snmp_.read();
    if (!snmp) fail(snmp_path_.c_str(), snmp_.error());
    read_pair(snmp.value_or(std::string_view{}), "Tcp:", kSnmp, values);
    const auto netstat = netstat_.read();
    if (!netstat) fail(netstat_path_.c_str(), netstat_.error());
    read_pair(netstat.value_or(std::string_view{}), "TcpExt:", kNetstat, values + kSnmp.size());
  }

 private:
  std::string snmp_path_, netstat_path_;
  KernelFile snmp_, netstat_;
};

}  // namespace

std::unique_ptr<Source> open_tcp(const SourceContext& context) {
  return std::make_unique<TcpSource>(context.roots);
}

}  // namespace collbench::metrics
