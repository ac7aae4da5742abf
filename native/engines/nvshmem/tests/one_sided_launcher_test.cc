#include "engines/nvshmem/one_sided_launcher.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;

namespace {

constexpr std::size_t kKiB = 1024;

OneSided put(OneSided::CopyMethod mover, int callers, std::size_t bytes) {
  OneSided work;
  work.mover = mover;
  work.scope = OneSided::Scope::kBlock;
  work.callers = callers;
  work.bytes = bytes;
  return work;
}

std::vector<std::string> words(const OneSided& work, const NvshmemSettings& settings = {}) {
  std::vector<std::string> all;
  for (const auto& point : points_of(work, settings)) all.push_back(format_shape(work, point));
  return all;
}

using CopyMethod = OneSided::CopyMethod;
using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("blocks of long puts are tried with fewer threads, bulk copies with smaller pieces") {
  CHECK(words(put(CopyMethod::kLibrary, 64, 64 * kKiB)) == Words{"64x1024", "64x128", "64x256", "64x512"});
  CHECK(words(put(CopyMethod::kBulk, 64, 64 * kKiB)) == Words{"64x32/16K", "64x32/8K", "64x32/4K"});
}

TEST_CASE("a short put has a thread for each word of 16 bytes, and nothing to try") {
  CHECK(words(put(CopyMethod::kLibrary, 1, 8)) == Words{"1x32"});
  CHECK(words(put(CopyMethod::kVector, 2, 8 * kKiB)) == Words{"2x512"});
}

TEST_CASE("what the user fixes is taken") {
  NvshmemSettings fixed;
  fixed.threads = 256;
  fixed.packet_bytes = 64 * kKiB;
  CHECK(words(put(CopyMethod::kLibrary, 64, 64 * kKiB), fixed) == Words{"64x256"});
  CHECK(words(put(CopyMethod::kBulk, 64, 64 * kKiB), fixed) == Words{"64x32/16K"});
}

TEST_CASE("copy engine, threads and warps have no block to choose") {
  CHECK(words(put(CopyMethod::kCopyEngine, 64, 64 * kKiB)) == Words{""});
  OneSided warps = put(CopyMethod::kLibrary, 64, 64 * kKiB);
  warps.scope = OneSided::Scope::kWarp;
  CHECK(words(warps) == Words{""});
}
