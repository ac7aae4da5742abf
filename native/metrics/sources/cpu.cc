// /proc/stat (proc(5)): time of each core by kind, and event counts of the kernel.
#include <unistd.h>

#include <array>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

/// Number of columns of a line `cpuN` in /proc/stat that are read: user, nice, system, idle, iowait, irq,
/// softirq, steal.
constexpr std::size_t kColumns = 8;
constexpr std::array<const char*, 7> kNames = {"user", "system", "irq", "softirq", "idle", "iowait", "steal"};

struct Total {
  std::string_view key;
  const char* channel;
  const char* unit;
  bool cumulative;
};
constexpr std::array<Total, 5> kTotals = {{{"ctxt", "cpu.contextSwitches", "switches", true},
                                           {"intr", "cpu.interrupts", "interrupts", true},
                                           {"processes", "cpu.forks", "processes", true},
                                           {"procs_running", "cpu.running", "tasks", false},
                                           {"procs_blocked", "cpu.blocked", "tasks", false}}};

class CpuSource : public Source {
 public:
  explicit CpuSource(const Roots& roots)
      : path_(roots.proc + "/stat"),
        file_(path_),
        ns_per_tick_(1e9 / static_cast<double>(sysconf(_SC_CLK_TCK))) {
    const auto text = file_.read();
    if (!text) throw system_error(ErrorCode::kUnavailable, path_, file_.error());
    each_whole_line(*text, [&](std::string_view line) {
      const std::string_view word = take_word(line);
      if (word.starts_with("cpu") && whole_number(word.substr(3))) cores_.emplace_back(word);
    });
    for (const std::string& core : cores_)
      for (const char* name : kNames) add_counter(core + "." + name, "ns");
    for (const Total& total : kTotals)
      if (total.cumulative)
        add_counter(total.channel, total.unit);
      else
        add_gauge(total.channel, total.unit);
  }

  void read(double* values) override {
    for (std::size_t i = 0; i < channels().size(); ++i) values[i] = kAbsent;
    const auto text = file_.read();
    if (!text) return fail(path_.c_str(), file_.error());
    std::size_t next_core = 0, next_total = 0;
    double* totals = values + kNames.size() * cores_.size();
    each_whole_line(*text, [&](std::string_view line) {
      const std::string_view word = take_word(line);
      // Lines keep their order, so the next one is nearly always the expected one; cores may go offline.
      if (word.starts_with("cpu") && word.size() > 3) {
        for (std::size_t i = next_core; i < cores_.size(); ++i)
          if (cores_[i] == word) {
            read_core(line, values + kNames.size() * i);
            next_core = i + 1;
            break;
          }
      } else {
        for (std::size_t i = 0; i < kTotals.size(); ++i) {
          const std::size_t at = (next_total + i) % kTotals.size();
          if (kTotals[at].key != word) continue;
          totals[at] = take_value(line);
          next_total = at + 1;
          break;
        }
      }
    });
  }

 private:
  void read_core(std::string_view line, double* values) const {
    std::array<double, kColumns> ns;
    for (double& one : ns) one = take_value(line) * ns_per_tick_;
    const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ns;
    const std::array<double, kNames.size()> in_order = {user + nice, system, irq,  softirq,
                                                        idle,        iowait, steal};
    for (std::size_t i = 0; i < in_order.size(); ++i) values[i] = in_order[i];
  }

  std::string path_;
  KernelFile file_;
  double ns_per_tick_;
  std::vector<std::string> cores_;  // names: "cpu0", ...
};

}  // namespace

std::unique_ptr<Source> open_cpu(const SourceContext& context) {
  return std::make_unique<CpuSource>(context.roots);
}

}  // namespace collbench::metrics
