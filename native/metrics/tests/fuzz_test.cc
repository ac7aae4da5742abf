// Torn or garbled kernel text must give no value instead of a wrong one. COLLBENCH_FUZZ_SECONDS=600 runs
// longer.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/clock.h"
#include "metrics/tests/readings.h"

namespace fs = std::filesystem;
using namespace collbench;
using namespace collbench::metrics;

namespace {

/// A copy of a fixture whose files can be rewritten while a sampler has them open.
class FixtureCopy {
 public:
  explicit FixtureCopy(const std::string& tree) {
    std::string name = (fs::temp_directory_path() / "collbench-fuzz-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    const fs::path from = fs::path(COLLBENCH_METRICS_FIXTURES) / tree;
    fs::copy(from, root_, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      files_.push_back({entry.path(), {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  ~FixtureCopy() { fs::remove_all(root_); }
  FixtureCopy(const FixtureCopy&) = delete;
  FixtureCopy& operator=(const FixtureCopy&) = delete;

  struct File {
    fs::path path;
    std::string text;
  };
  [[nodiscard]] const std::vector<File>& files() const { return files_; }
  [[nodiscard]] Roots roots() const { return {root_ + "/proc", root_ + "/sys", "libnvidia-ml.so.none"}; }
  static void write(const File& file, const std::string& text) {
    std::ofstream(file.path, std::ios::trunc) << text;
  }

 private:
  std::string root_;
  std::vector<File> files_;
};

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

/// Damages a text: cut off, a line lost or repeated, digits made unreadable. Values still readable must be
/// right.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kGarbage = "x+-,;?%!\x01\xff";
  if (text.empty()) return text;
  const std::size_t at = below(random, text.size());
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t length =
      text.find('\n', at) == std::string::npos ? text.size() - line : text.find('\n', at) + 1 - line;
  switch (below(random, 4)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.erase(line, length);
    case 2:
      return text.insert(line, text.substr(line, length));
    default:
      for (std::size_t i = at, n = 1 + below(random, 3); i < text.size() && n > 0; ++i)
        if (text[i] >= '0' && text[i] <= '9') {
          text[i] = kGarbage[below(random, kGarbage.size())];
          --n;
        }
      return text;
  }
}

/// Replaces a text by random bytes.
std::string scrambled(std::string text, Random& random) {
  for (std::size_t n = 1 + below(random, 20); n > 0; --n) {
    const std::size_t at = below(random, text.size() + 1);
    switch (below(random, 3)) {
      case 0:
        text.insert(at, 1 + below(random, 40), static_cast<char>(random()));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      default:
        text.erase(std::min(at, text.size()), below(random, 10));
    }
  }
  return text;
}

double seconds() {
  const char* text = std::getenv("COLLBENCH_FUZZ_SECONDS");
  return text == nullptr ? 1.5 : std::max(std::atof(text), 0.1);
}

/// @param mutate returns the text of one file
/// @param check receives channel, value before and value now
template <typename Mutate, typename Check>
std::uint64_t fuzz(const std::string& tree, Mutate mutate, Check check) {
  const FixtureCopy copy(tree);
  SamplerOptions options;
  options.roots = copy.roots();
  Sampler sampler(options);
  std::vector<double> before(sampler.channels().size()), now(before.size());
  sampler.read(before.data());
  Random random(20240811);
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(seconds() * 1e9 / 6);
  std::uint64_t rounds = 0;
  for (; now_ns() < until; ++rounds) {
    const FixtureCopy::File& file = copy.files()[below(random, copy.files().size())];
    const std::string text = mutate(file.text, random);
    FixtureCopy::write(file, text);
    sampler.read(now.data());
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (check(before[i], now[i])) continue;
      CAPTURE(sampler.channels()[i].name);
      CAPTURE(before[i]);
      CAPTURE(now[i]);
      CAPTURE(file.path.string());
      CAPTURE(text);
      FAIL("a wrong value");
    }
    FixtureCopy::write(file, file.text);
  }
  return rounds;
}

}  // namespace

TEST_CASE("a torn or garbled field is absent or right, never wrong") {
  for (const std::string tree : {"laptop", "h200", "mlx5"}) {
    const auto rounds =
        fuzz(tree, &damaged, [](double before, double now) { return std::isnan(now) || now == before; });
    MESSAGE(tree, ": ", rounds, " damaged files");
    CHECK(rounds > 0);
  }
}

TEST_CASE("any text at all gives numbers from 0 or nothing") {
  for (const std::string tree : {"laptop", "h200", "mlx5"}) {
    const auto rounds =
        fuzz(tree, &scrambled, [](double, double now) { return std::isnan(now) || now >= 0; });
    MESSAGE(tree, ": ", rounds, " scrambled files");
    CHECK(rounds > 0);
  }
}
