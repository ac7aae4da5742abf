#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>

#include "workloads/kv/content.h"
#include "workloads/kv/plan.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

struct CacheShape {
  std::int64_t layers, tensors, heads, head_bytes, prefill, decode, page_tokens, tokens;
};

WorkloadRequest request_of(const std::string& transfer, const std::string& schedule,
                           const std::string& layout, const CacheShape& shape) {
  return {"kv",
          {{"transfer", transfer},
           {"schedule", schedule},
           {"layout", layout},
           {"model", std::string("of the test")},
           {"layers", shape.layers},
           {"tensors", shape.tensors},
           {"heads", shape.heads},
           {"headBytes", shape.head_bytes},
           {"prefill", shape.prefill},
           {"decode", shape.decode},
           {"pageTokens", shape.page_tokens},
           {"tokens", shape.tokens}}};
}

/// The shapes of a group of ranks; the last page of some prompts is not full.
std::vector<WorkloadRequest> all_requests(std::int64_t prefill, std::int64_t decode) {
  std::vector<WorkloadRequest> requests;
  for (const std::string_view transfer : kv::kTransfers)
    for (const std::string_view schedule : kv::kSchedules)
      for (const std::string_view layout : kv::kLayouts)
        for (const CacheShape& shape :
             {CacheShape{3, 2, 6, 10, prefill, decode, 4, 17}, CacheShape{2, 1, 6, 3, prefill, decode, 1, 5}})
          requests.push_back(
              request_of(std::string(transfer), std::string(schedule), std::string(layout), shape));
  return requests;
}

kv::HandOff hand_off_of(kv::Layout layout, bool by_layer, int prefill, int decode, std::size_t tensors = 2) {
  kv::HandOff hand_off;
  hand_off.by_layer = by_layer;
  hand_off.layout = layout;
  hand_off.layers = 3;
  hand_off.tensors = tensors;
  hand_off.heads = 12;
  hand_off.page_tokens = 4;
  hand_off.token_bytes = 2;
  hand_off.pages = 5;
  hand_off.prefill = prefill;
  hand_off.decode = decode;
  return hand_off;
}

/// Calls `use` with every arrangement of the cache on several numbers of ranks.
template <class Use>
void for_all(Use use) {
  constexpr std::array<std::pair<int, int>, 6> kSides{{{1, 1}, {2, 2}, {2, 1}, {1, 4}, {2, 3}, {6, 4}}};
  for (const auto layout : {kv::Layout::kLayer, kv::Layout::kPage, kv::Layout::kContiguous})
    for (const bool by_layer : {false, true})
      for (const auto& [prefill, decode] : kSides) {
        CAPTURE(kv::kLayouts[static_cast<int>(layout)]);
        CAPTURE(by_layer);
        CAPTURE(prefill);
        CAPTURE(decode);
        use(hand_off_of(layout, by_layer, prefill, decode));
      }
}

std::size_t descriptors(const kv::HandOff& hand_off, int rank) {
  std::size_t count = 0;
  for (const auto& step : kv::descriptors_of(hand_off, rank, 7)) count += step.size();
  return count;
}

}  // namespace

TEST_CASE("the pieces of a rank cover its cache, every byte once") {
  for_all([](const kv::HandOff& hand_off) {
    for (int rank = 0; rank < hand_off.prefill + hand_off.decode; ++rank) {
      std::vector<int> covered(hand_off.rank_bytes(hand_off.is_prefill(rank)));
      kv::for_pieces(hand_off, rank, 7, [&](const kv::Piece& piece) {
        for (std::size_t at = 0; at < piece.bytes; ++at) ++covered.at(piece.offset + at);
      });
      CHECK(covered == std::vector<int>(covered.size(), 1));
    }
  });
}

TEST_CASE("the descriptors of two ranks for each other have the same lengths, step by step") {
  for_all([](const kv::HandOff& hand_off) {
    const int ranks = hand_off.prefill + hand_off.decode;
    using Flow = std::vector<std::size_t>;
    std::map<std::array<int, 3>, Flow> sent, received;  // By step, sender and receiver.
    std::size_t bytes = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto steps = kv::descriptors_of(hand_off, rank, 7);
      CHECK(steps.size() == hand_off.steps());
      for (int step = 0; step < static_cast<int>(steps.size()); ++step)
        for (const kv::Descriptor& one : steps[static_cast<std::size_t>(step)]) {
          if (hand_off.is_prefill(rank)) {
            sent[{step, rank, one.peer}].push_back(one.bytes);
            bytes += one.bytes;
          } else {
            received[{step, one.peer, rank}].push_back(one.bytes);
          }
        }
    }
    CHECK(sent == received);
    CHECK(bytes == hand_off.total_bytes());
  });
}

TEST_CASE("the layout and the ranks of both sides decide how many descriptors there are") {
  using kv::Layout;
  // Five pages and three layers. Equal sides keep keys and values of a page together.
  CHECK(descriptors(hand_off_of(Layout::kLayer, false, 2, 2), 0) == 15);
  CHECK(descriptors(hand_off_of(Layout::kPage, false, 2, 2), 0) == 5);
  CHECK(descriptors(hand_off_of(Layout::kContiguous, false, 2, 2), 0) == 1);
  CHECK(descriptors(hand_off_of(Layout::kPage, true, 2, 2), 0) == 15);
  CHECK(descriptors(hand_off_of(Layout::kContiguous, true, 2, 2), 0) == 3);
  // A decode rank with half of the heads gets keys and values separately.
  CHECK(descriptors(hand_off_of(Layout::kLayer, false, 1, 2), 0) == 60);
  CHECK(descriptors(hand_off_of(Layout::kPage, false, 1, 2), 1) == 30);
  CHECK(descriptors(hand_off_of(Layout::kContiguous, false, 1, 2), 0) == 2);
}

TEST_CASE("pages lie in another order on each side, all of them once") {
  const auto prefill = kv::slots_of(100, true, 7), decode = kv::slots_of(100, false, 7);
  CHECK(prefill != decode);
  CHECK(std::set(prefill.begin(), prefill.end()).size() == 100);
  CHECK(*std::max_element(decode.begin(), decode.end()) == 99);
}

TEST_CASE("every page arrives over every transport that can run here") {
  for (const std::string& transport : runnable_transports()) {
    CAPTURE(transport);
    const ExerciseResult found = exercise("cpu", transport, 2, all_requests(1, 1));
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("sides of different size share the heads") {
  constexpr std::pair<int, int> kSides[] = {{2, 1}, {1, 2}, {3, 2}};
  for (const auto& [prefill, decode] : kSides) {
    CAPTURE(prefill);
    CAPTURE(decode);
    const ExerciseResult found = exercise("cpu", "shm", prefill + decode, all_requests(prefill, decode));
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("pages that were not moved are found, with the page and the rank they should come from") {
  const ExerciseResult found =
      exercise("cpu", "shm", 2, {request_of("push", "at-once", "page", {2, 2, 2, 8, 1, 1, 4, 8})}, false);
  CHECK(found.wrong == found.compared);
  CHECK(found.complaints.at(0).find("rank 1, iteration 0") != std::string::npos);
  CHECK(found.complaints.at(0).find("page 0 of rank 0, layer 0 keys, head 0: nothing arrived") !=
        std::string::npos);
}

TEST_CASE("two swapped pages are found, and which page is in the place of which") {
  const CacheShape shape{2, 2, 2, 8, 1, 1, 4, 12};
  const EngineEntry& entry = *find_engine(engines(), "cpu");
  Verification found;
  on_ranks(2, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    const auto made = entry.create(bootstrap, options_for("cpu", "shm", cancelled, bootstrap.rank(), 2));
    const auto workload = create_workload(entry, request_of("push", "at-once", "page", shape),
                                          {*made, bootstrap.rank(), 2, 99, 0, 0});
    workload->prepare(3, 1, 1);
    bootstrap.all_gather("prepared", "");
    workload->run(1);
    if (bootstrap.rank() == 1) {
      constexpr std::size_t kPageBytes = std::size_t{2} * 2 * 2 * 8 * 4;
      auto* const cache = static_cast<std::byte*>(made->buffer(1, 3 * kPageBytes));
      const auto slots = kv::slots_of(3, false, 99);
      std::swap_ranges(cache + slots[1] * kPageBytes, cache + (slots[1] + 1) * kPageBytes,
                       cache + slots[2] * kPageBytes);
      found = workload->verify(3);
    }
    bootstrap.all_gather("verified", "");
  });
  CHECK(found.compared == 768);
  CHECK(found.wrong > 400);
  CHECK(found.note == "page 1 of rank 0, layer 0 keys, head 0: page 2 is there");
}

TEST_CASE("first page and first layer are there before the end, each first in its schedule") {
  const CacheShape shape{4, 2, 2, 64, 1, 1, 16, 256};
  OperationColumns columns;
  const EngineEntry& entry = *find_engine(engines(), "cpu");
  for (const std::string schedule : {"at-once", "by-layer"})
    on_ranks(2, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
      const auto made = entry.create(bootstrap, options_for("cpu", "shm", cancelled, bootstrap.rank(), 2));
      const auto workload = create_workload(entry, request_of("push", schedule, "layer", shape),
                                            {*made, bootstrap.rank(), 2, 99, 0, 0});
      bootstrap.all_gather("made", "");
      workload->run(1);
      if (bootstrap.rank() == 1) workload->take_columns(columns);
      bootstrap.all_gather("run", "");
    });
  REQUIRE(columns["firstPage"].size() == 2);
  REQUIRE(columns["firstLayer"].size() == 2);
  CHECK(columns["firstPage"][0] > 0);
  CHECK(columns["firstPage"][0] <= columns["firstLayer"][0]);
  CHECK(columns["firstLayer"][1] <= columns["firstPage"][1]);
}

TEST_CASE("heads that ranks cannot share are refused, and other impossible shapes") {
  const auto asked = [](std::int64_t heads, std::int64_t prefill, std::int64_t decode, std::int64_t tokens) {
    return request_of("push", "at-once", "layer", {2, 2, heads, 8, prefill, decode, 16, tokens});
  };
  CHECK(refusal(asked(3, 2, 1, 16), 3) == "3 heads cannot be shared equally by 2 prefill ranks");
  CHECK(refusal(asked(4, 1, 3, 16), 4) == "4 heads cannot be shared equally by 3 decode ranks");
  CHECK(refusal(asked(4, 1, 1, 16), 3) == "1 prefill and 1 decode ranks are 2 ranks, not 3");
  CHECK(refusal(asked(4, 1, 1, 0)) == "axis tokens must be an integer from 1 to 16777216, got 0");
  CHECK(refusal(request_of("push", "at-once", "layer", {1024, 2, 1024, 65'536, 1, 1, 65'536, 65'536}))
            .ends_with("is more than 1 TiB"));
  CHECK(describe(asked(4, 1, 1, 33)) == "push of a KV cache of 3 pages (6 KiB)");
}
