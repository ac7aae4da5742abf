#include "agent/forensics/symbols.h"

#include <doctest/doctest.h>

using namespace collbench::agent;
using Names = std::vector<std::string>;

TEST_CASE("frames in a row of a library without names are one line; others stay as they are") {
  CHECK(fold_unnamed_frames({"ioctl+0x3d", "libcuda.so.580.159.04+0x1", "libcuda.so.580.159.04+0x2",
                             "libcuda.so.580.159.04+0x3", "cuMemUnmap+0x1f", "libc.so.6+0x2a1c9", "0x7f00",
                             "0x7f01", "0x7f02"}) ==
        Names{"ioctl+0x3d", "libcuda.so.580.159.04 (3 frames without names)", "cuMemUnmap+0x1f",
              "libc.so.6+0x2a1c9", "0x7f00", "0x7f01", "0x7f02"});
  CHECK(fold_unnamed_frames({"libc.so.6+0x1", "libc.so.6+0x2", "liba.so+0x3"}) ==
        Names{"libc.so.6+0x1", "libc.so.6+0x2", "liba.so+0x3"});
  CHECK(fold_unnamed_frames({}).empty());
}
