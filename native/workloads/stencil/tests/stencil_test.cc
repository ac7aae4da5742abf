#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "workloads/stencil/decomposition.h"
#include "workloads/stencil/field_check.h"
#include "workloads/stencil/initiator.h"
#include "workloads/stencil/kernels.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;
using namespace collbench::stencil;

namespace {

WorkloadRequest request_of(std::int64_t grid, const std::string& scaling = "strong",
                           const std::string& part = "iteration", const std::string& dtype = "float32",
                           const std::string& path = "host") {
  return {"stencil",
          {{"part", part}, {"scaling", scaling}, {"dtype", dtype}, {"path", path}, {"grid", grid}}};
}

std::vector<WorkloadRequest> requests_of(std::int64_t grid) {
  std::vector<WorkloadRequest> requests;
  for (const char* scaling : {"strong", "weak"})
    for (const char* part : {"iteration", "halo", "update"})
      for (const char* dtype : {"float32", "float64"})
        for (const char* path : {"host", "rank"})
          requests.push_back(request_of(grid, scaling, part, dtype, path));
  return requests;
}

}  // namespace

TEST_CASE("blocks cover the grid once, as square as the ranks allow, and neighbours agree") {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12, 16})
    for (const std::int64_t grid : {16, 17, 100})
      for (const bool weak : {false, true}) {
        CAPTURE(ranks);
        CAPTURE(grid);
        std::int64_t points = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const GridPortion portion = portion_of(grid, weak, rank, ranks);
          points += portion.block.width * portion.block.height;
          CHECK(portion.block.width <= portion.longest_edge);
          CHECK(portion.block.height <= portion.longest_edge);
          CHECK(portion.block.width * portion.block.height <= portion.largest_block);
          if (weak) CHECK(portion.block.width * portion.block.height == grid * grid);
          for (int side = 0; side < kSides; ++side) {
            const int peer = portion.neighbours[static_cast<std::size_t>(side)];
            if (peer < 0) continue;
            const int opposite = side ^ 1;
            const GridPortion other = portion_of(grid, weak, peer, ranks);
            CHECK(other.neighbours[static_cast<std::size_t>(opposite)] == rank);
            CHECK(halo_of(portion.block, side) == edge_of(other.block, opposite));
          }
        }
        const GridPortion portion = portion_of(grid, weak, 0, ranks);
        CHECK(points == portion.grid.width * portion.grid.height);
      }
  CHECK(portion_of(64, false, 0, 4).block == Rectangle{0, 0, 32, 32});
  CHECK(portion_of(64, false, 0, 8).block == Rectangle{0, 0, 16, 32});
  CHECK(portion_of(64, false, 6, 7).block == Rectangle{54, 0, 10, 64});
}

TEST_CASE("a grid with fewer points along an edge than ranks is refused") {
  CHECK(refusal(request_of(2), 3) == "a grid of 2 x 2 points is too small for 3 x 1 ranks");
  CHECK(refusal(request_of(1), 4) == "a grid of 1 x 1 points is too small for 2 x 2 ranks");
  CHECK(refusal(request_of(1, "weak"), 4) == "accepted");
  CHECK(refusal(request_of(0), 1) == "axis grid must be an integer from 1 to 1048576, got 0");
  CHECK(describe(request_of(64, "weak", "halo")) == "stencil 64 x 64 per rank, halo alone");
}

TEST_CASE("the reference is the average of four neighbours, and what is outside the grid stays") {
  const InitialValues first(7, 3);
  const Rectangle grid{0, 0, 2, 1};
  Reference<float> reference(first, grid);
  const auto at = [&](std::int64_t x, std::int64_t y) { return first.at<float>(x, y); };
  const auto mean = [](float north, float south, float west, float east) {
    return 0.25F * ((north + south) + (west + east));
  };
  reference.compute(grid, 1);
  const float left = mean(at(0, -1), at(0, 1), at(-1, 0), at(1, 0));
  const float right = mean(at(1, -1), at(1, 1), at(0, 0), at(2, 0));
  CHECK(reference.after().at(0, 0) == left);
  CHECK(reference.after().at(1, 0) == right);
  reference.compute(grid, 2);
  CHECK(reference.after().at(0, 0) == mean(at(0, -1), at(0, 1), at(-1, 0), right));
  CHECK(reference.before().at(0, 0) == left);
}

TEST_CASE("a part of the grid is the same whatever is computed around it") {
  const InitialValues first(7, 3);
  const Rectangle grid{0, 0, 40, 30}, part{11, 9, 5, 4};
  Reference<float> whole(first, grid), some(first, grid);
  for (const std::uint64_t iterations : {0U, 1U, 2U, 5U, 40U}) {
    whole.compute(grid, iterations);
    some.compute(part, iterations);
    for (std::int64_t y = part.y; y < part.y + part.height; ++y)
      for (std::int64_t x = part.x; x < part.x + part.width; ++x)
        CHECK(some.after().at(x, y) == whole.after().at(x, y));
  }
}

TEST_CASE("first values differ by place, iteration and seed") {
  std::set<float> seen;
  for (const InitialValues& first : {InitialValues(1, 0), InitialValues(1, 1), InitialValues(2, 0)})
    for (std::int64_t y = -1; y < 9; ++y)
      for (std::int64_t x = -1; x < 9; ++x) seen.insert(first.at<float>(x, y));
  CHECK(seen.size() == 300);
  CHECK(*seen.begin() >= 0);
  CHECK(*seen.rbegin() < 1);
}

TEST_CASE("the rows of the host are the points of the kernel, bit for bit") {
  constexpr unsigned long long kWidth = 37, kHeight = 11;
  const Rectangle block{0, 0, kWidth, kHeight};
  const InitialValues first(5, 0);
  std::vector<double> in, rows(kWidth * kHeight), points(kWidth * kHeight);
  for (std::int64_t y = 0; y < block.height; ++y)
    for (std::int64_t x = 0; x < block.width; ++x) in.push_back(first.at<double>(x, y));
  std::vector<double> halos[kSides], edges[2][kSides];
  JacobiArgs args{in.data(), rows.data(), {}, {}, kWidth, kHeight};
  for (int side = 0; side < kSides; ++side) {
    halos[side].assign(kWidth, 0.125 * (side + 1));
    for (auto& one : edges) one[side].assign(side < kWest ? kWidth : kHeight, -1);
    args.halos[side] = halos[side].data();
    args.edges[side] = edges[0][side].data();
  }
  const Computation update = jacobi<double>();
  update.run(&args);
  args.out = points.data();
  for (int side = 0; side < kSides; ++side) args.edges[side] = edges[1][side].data();
  for (unsigned long long y = 0; y < kHeight; ++y)
    for (unsigned long long x = 0; x < kWidth; ++x) update_point<double>(args, x, y);
  CHECK(rows == points);
  for (int side = 0; side < kSides; ++side) CHECK(edges[0][side] == edges[1][side]);
  CHECK(jacobi_threads(kWidth, kHeight) == 2 * kWidth);
}

TEST_CASE("any number of ranks computes what one rank computes, over every transport that can run here") {
  for (const int ranks : {1, 2, 3, 4, 7, 8})
    for (const std::string& transport :
         ranks <= 4 ? runnable_transports() : std::vector<std::string>{"socket"}) {
      CAPTURE(transport);
      CAPTURE(ranks);
      std::vector<WorkloadRequest> requests = requests_of(37);
      requests.push_back(request_of(8));
      requests.push_back(request_of(600));  // More than one iteration of this size is not computed again.
      const ExerciseResult found = exercise("cpu", transport, ranks, requests);
      for (const std::string& line : found.complaints) FAIL_CHECK(line);
      CHECK(found.compared > 0);
    }
}

TEST_CASE("large grids are compared band by band") {
  CHECK(bands_of({3, 5, 1024, 1000}, 1).size() == 4);
  CHECK(bands_of({3, 5, 1024, 1000}, 1)[3] == Rectangle{3, 773, 1024, 232});
  CHECK(bands_of({3, 5, 1024, 1000}, 100).size() == 2);
  const ExerciseResult found =
      exercise("cpu", "socket", 2, {request_of(1200), request_of(1200, "strong", "halo")});
  for (const std::string& line : found.complaints) FAIL_CHECK(line);
  CHECK(found.compared == 3 * (1200 * 1200 + 2 * 1200) + 3 * 2 * 1200);
}

TEST_CASE("an exchange that did not happen is found, with the rank that owes it") {
  const ExerciseResult found = exercise("cpu", "socket", 2, {request_of(16, "strong", "halo")}, false);
  CHECK(found.wrong == found.compared);
  CHECK(found.complaints.at(0).find("of the halo from rank") != std::string::npos);
  CHECK(found.complaints.at(0).find("poison") != std::string::npos);
}

TEST_CASE("an iteration that did not happen is found at every point") {
  const ExerciseResult found = exercise("cpu", "socket", 2, {request_of(16)}, false);
  CHECK(found.wrong == found.compared);
}

TEST_CASE("a single wrong bit is found, in the field and in the halo") {
  const GridPortion portion = portion_of(16, false, 1, 2);
  const InitialValues first(1, 0);
  Reference<float> reference(first, portion.grid);
  reference.compute(portion.block, 1);
  std::vector<float> field, halo;
  for (std::int64_t y = 0; y < 16; ++y) {
    for (std::int64_t x = 8; x < 16; ++x) field.push_back(reference.after().at(x, y));
    halo.push_back(reference.before().at(7, y));
  }
  const auto found = [&] {
    FieldCheck<float> check(portion);
    check.take_halo(kWest, halo);
    check.compare_halo(reference.before(), portion.block);
    check.compare_field(reference.after(), portion.block, field);
    return check.result();
  };
  CHECK(found().wrong == 0);
  CHECK(found().compared == 16 * 8 + 16);
  const auto flip = [](float& value) { reinterpret_cast<unsigned char&>(value) ^= 1; };
  flip(halo[5]);
  CHECK(found().wrong == 1);
  CHECK(found().note == "point (7, 5) of the halo from rank 0 in the west");
  flip(halo[5]);
  flip(field[8 * 3 + 2]);
  CHECK(found().wrong == 1);
  CHECK(found().first_index == 3 * 16 + 10);
  CHECK(found().note == "point (10, 3)");
}

TEST_CASE("whoever starts the puts, any number of ranks computes what one rank computes") {
  const std::vector<std::string> transports = runnable_transports();
  if (std::find(transports.begin(), transports.end(), "ibgda") == transports.end()) return;
  for (const char* path : {"host", "stream", "proxy", "triggered", "kernel", "rank"})
    for (const int ranks : {1, 2, 3, 4}) {
      CAPTURE(path);
      CAPTURE(ranks);
      std::vector<WorkloadRequest> requests;
      for (const char* part : {"iteration", "halo", "update"})
        for (const std::int64_t grid : {5, 37, 600})
          requests.push_back(request_of(grid, "strong", part, "float32", path));
      const ExerciseResult found = exercise("cpu", "ibgda", ranks, requests);
      for (const std::string& line : found.complaints) FAIL_CHECK(line);
      CHECK(found.compared > 0);
    }
}

TEST_CASE("every path has its threads, and only path rank has no device") {
  const auto threads = [](Path path) { return std::pair(threads_of(path, true), threads_of(path, false)); };
  CHECK(threads(Path::kRank) == std::pair(1, 1));
  CHECK(threads(Path::kHost) == std::pair(2, 1));
  CHECK(threads(Path::kStream) == std::pair(2, 2));
  CHECK(threads(Path::kProxy) == std::pair(3, 3));
  CHECK(threads(Path::kKernel) == std::pair(2, 2));
}

TEST_CASE("on path host the host exchanges, then a thread of the device updates") {
  on_ranks(1, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    const auto engine =
        find_engine(engines(), "cpu")->create(bootstrap, options_for("cpu", "socket", cancelled, 0, 1));
    const std::thread::id host = std::this_thread::get_id();
    std::vector<std::string> seen;
    const auto note = [&](const char* what) {
      return [&seen, what, host](int turn) {
        seen.push_back(what + std::to_string(turn) +
                       (std::this_thread::get_id() == host ? " host" : " device"));
      };
    };
    StencilInitiator initiator(*engine, Path::kHost, {note("exchange"), nullptr, note("update")});
    initiator.operate(0);
    initiator.operate(1);
    CHECK(seen ==
          std::vector<std::string>{"exchange0 host", "update0 device", "exchange1 host", "update1 device"});
  });
}

TEST_CASE("the update alone and one rank have a device, too; path rank has none") {
  const EngineEntry& cpu = *find_engine(engines(), "cpu");
  on_ranks(1, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    const auto engine = cpu.create(bootstrap, options_for("cpu", "socket", cancelled, 0, 1));
    // A thread that was joined may stay in the list for a moment, so threads are told apart by their numbers.
    const auto threads_more = [&](const char* part, const char* path) {
      const auto listed = [] {
        std::set<std::string> threads;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
          threads.insert(entry.path().filename());
        return threads;
      };
      const auto before = listed();
      const auto workload =
          create_workload(cpu, request_of(8, "strong", part, "float32", path), {*engine, 0, 1, 99, 0, 0});
      const auto after = listed();
      return std::count_if(after.begin(), after.end(),
                           [&](const std::string& thread) { return !before.contains(thread); });
    };
    CHECK(threads_more("iteration", "host") == 1);
    CHECK(threads_more("update", "host") == 1);
    CHECK(threads_more("iteration", "rank") == 0);
    CHECK(threads_more("update", "rank") == 0);
  });
}

TEST_CASE("a put that did not happen is found") {
  const std::vector<std::string> transports = runnable_transports();
  if (std::find(transports.begin(), transports.end(), "ibgda") == transports.end()) return;
  const ExerciseResult found =
      exercise("cpu", "ibgda", 2, {request_of(16, "strong", "halo", "float32", "kernel")}, false);
  CHECK(found.wrong == found.compared);
}

TEST_CASE("a path that needs queues is refused where the transport has none") {
  CHECK(refusal(request_of(16, "strong", "iteration", "float32", "kernel"), 2).find("--transport ibgda") !=
        std::string::npos);
}
