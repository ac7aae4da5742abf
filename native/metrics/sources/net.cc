// /proc/net/dev (proc(5)): all interfaces in one read.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

struct Column {
  std::size_t index;  // column after the colon
  const char* name;
  const char* unit;
};
constexpr std::array<Column, 8> kInterfaceColumns = {{{0, "rxBytes", "bytes"},
                                                      {1, "rxPackets", "packets"},
                                                      {2, "rxErrors", "packets"},
                                                      {3, "rxDrops", "packets"},
                                                      {8, "txBytes", "bytes"},
                                                      {9, "txPackets", "packets"},
                                                      {10, "txErrors", "packets"},
                                                      {11, "txDrops", "packets"}}};
constexpr std::size_t kLineColumns = 16;
/// Maximum number of network interfaces whose counters are recorded, those with the most traffic. Container
/// hosts have thousands of virtual ones.
constexpr std::size_t kMaxInterfaces = 64;

struct InterfaceLine {
  std::string_view name;
  std::array<double, kInterfaceColumns.size()> values;
};

/// Calls `use` with each interface of /proc/net/dev. The two header lines have no colon and are skipped.
template <typename Use>
void each_interface(std::string_view text, Use use) {
  each_whole_line(text, [&](std::string_view line) {
    const std::size_t colon = line.rfind(':');  // from the end: alias names like eth0:1 contain a colon
    if (colon == std::string_view::npos) return;
    std::string_view numbers = line.substr(colon + 1);
    std::array<double, kLineColumns> all;
    for (double& one : all) one = take_value(numbers);
    InterfaceLine found{without_blanks(line.substr(0, colon)), {}};
    for (std::size_t i = 0; i < kInterfaceColumns.size(); ++i)
      found.values[i] = all[kInterfaceColumns[i].index];
    use(found);
  });
}

class NetSource : public Source {
 public:
  explicit NetSource(const Roots& roots) : path_(roots.proc + "/net/dev"), file_(path_) {
    const auto text = file_.read();
    if (!text) throw system_error(ErrorCode::kUnavailable, path_, file_.error());
    std::vector<std::pair<double, std::string>> found;  // by traffic, the busiest first
    each_interface(*text, [&](const InterfaceLine& line) {
      found.emplace_back(-(line.values[0] + line.values[4]), std::string(line.name));
    });
    if (found.empty()) throw Error(ErrorCode::kUnavailable, path_ + " lists no interface");
    if (found.size() > kMaxInterfaces) {
      std::stable_sort(found.begin(), found.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      fail(("only the " + std::to_string(kMaxInterfaces) + " busiest of " + std::to_string(found.size()) +
            " interfaces are read")
               .c_str());
      found.resize(kMaxInterfaces);
    }
    for (const auto& [bytes, name] : found) {
      names_.push_back(name);
      for (const Column& column : kInterfaceColumns)
        add_counter("net." + name + "." + column.name, column.unit);
    }
  }

  void read(double* values) override {
    for (std::size_t i = 0; i < channels().size(); ++i) values[i] = kAbsent;
    const auto text = file_.read();
    if (!text) return fail(path_.c_str(), file_.error());
    std::size_t expected = 0;
    each_interface(*text, [&](const InterfaceLine& line) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        const std::size_t at = (expected + i) % names_.size();
        if (names_[at] != line.name) continue;
        std::copy(line.values.begin(), line.values.end(), values + kInterfaceColumns.size() * at);
        expected = at + 1;
        return;
      }
    });
  }

 private:
  std::string path_;
  KernelFile file_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Source> open_net(const SourceContext& context) {
  return std::make_unique<NetSource>(context.roots);
}

}  // namespace collbench::metrics
