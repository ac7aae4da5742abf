// /proc/loadavg (proc(5)): runnable and blocked tasks, averaged over 1, 5 and 15 minutes.
#include <array>
#include <charconv>

#include "core/error.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

constexpr std::array<const char*, 3> kAverages = {"cpu.load1", "cpu.load5", "cpu.load15"};

/// Returns the number in a word of /proc/loadavg if it is a plain decimal fraction, "0.68"; otherwise NaN.
double fraction(std::string_view word) noexcept {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value, std::chars_format::fixed);
  // excludes "inf" and signs
  const bool plain = word.find_first_not_of("0123456789.") == std::string_view::npos;
  return error == std::errc() && at == end && plain ? value : kAbsent;
}

class LoadSource : public Source {
 public:
  explicit LoadSource(const Roots& roots) : path_(roots.proc + "/loadavg"), file_(path_) {
    if (!file_.read()) throw system_error(ErrorCode::kUnavailable, path_, file_.error());
    for (const char* name : kAverages) add_gauge(name, "tasks");
  }
  void read(double* values) override {
    for (std::size_t i = 0; i < kAverages.size(); ++i) values[i] = kAbsent;
    const auto text = file_.read();
    if (!text) return fail(path_.c_str(), file_.error());
    each_whole_line(*text, [&](std::string_view line) {
      for (std::size_t i = 0; i < kAverages.size(); ++i) values[i] = fraction(take_word(line));
    });
  }

 private:
  std::string path_;
  KernelFile file_;
};

}  // namespace

std::unique_ptr<Source> open_load(const SourceContext& context) {
  return std::make_unique<LoadSource>(context.roots);
}

}  // namespace collbench::metrics
