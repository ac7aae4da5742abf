// /proc/pressure (Documentation/accounting/psi.rst): time in which some or all tasks waited for a resource.
#include <array>
#include <cmath>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

constexpr std::array<const char*, 4> kResources = {"cpu", "io", "irq", "memory"};
constexpr std::array<const char*, 2> kKinds = {"some", "full"};

/// Reads how long tasks have waited for a resource since boot, in us, from lines such as "some avg10=...
/// total=N" and "full avg10=... total=N".
/// @param values receives one number per kind of kKinds; kAbsent if its line is missing
void read_totals(std::string_view text, double* values) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) values[i] = kAbsent;
  each_whole_line(text, [&](std::string_view line) {
    const std::string_view kind = take_word(line);
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (kind != kKinds[i]) continue;
      for (std::string_view word; !(word = take_word(line)).empty();)
        if (word.starts_with("total="))
          if (const auto us = whole_number(word.substr(6))) values[i] = static_cast<double>(*us);
    }
  });
}

class PressureSource : public Source {
 public:
  explicit PressureSource(const Roots& roots) {
    for (const char* resource : kResources) {
      KernelFile file(roots.proc + "/pressure/" + resource);
      std::array<double, kKinds.size()> values;
      const auto text = file.read();
      if (!text) continue;
      read_totals(*text, values.data());
      if (std::isnan(values[0]) && std::isnan(values[1])) continue;
      for (const char* kind : kKinds)
        add_counter(std::string("pressure.") + resource + (kind == kKinds[0] ? "Some" : "Full"), "us");
      files_.push_back(std::move(file));
    }
    if (files_.empty())
      throw Error(ErrorCode::kUnavailable,
                  roots.proc + "/pressure cannot be read: the kernel keeps no pressure (CONFIG_PSI, psi=1)");
  }
  void read(double* values) override {
    for (KernelFile& file : files_) {
      const auto text = file.read();
      if (!text) fail("/proc/pressure", file.error());
      read_totals(text.value_or(std::string_view{}), values);
      values += kKinds.size();
    }
  }

 private:
  std::vector<KernelFile> files_;
};

}  // namespace

std::unique_ptr<Source> open_pressure(const SourceContext& context) {
  return std::make_unique<PressureSource>(context.roots);
}

}  // namespace collbench::metrics
