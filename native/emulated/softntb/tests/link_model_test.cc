#include "emulated/softntb/link_model.h"

#include <doctest/doctest.h>

#include <string>

#include "emulated/cards.h"
#include "emulated/softntb/faults.h"

using namespace collbench::softntb;

TEST_CASE("PCIe bandwidth follows from rate, line code and packet overhead") {
  // Generation 3: 8 GT/s, 128b/130b, 8 lanes = 7.877 GB/s raw; 256 of 280 bytes of a packet are payload.
  CHECK(pcie_bytes_per_ns(3, 8) == doctest::Approx(7.2018).epsilon(1e-4));
  CHECK(pcie_bytes_per_ns(1, 8) == doctest::Approx(2.0 * 256 / 280).epsilon(1e-9));
  CHECK(pcie_bytes_per_ns(4, 16) == doctest::Approx(4 * pcie_bytes_per_ns(3, 8)).epsilon(1e-9));
}

TEST_CASE("every model of the table parses and its figures agree with its row") {
  for (const LinkModelRow& row : link_model_table()) {
    CAPTURE(row.name);
    std::string problem;
    const auto model = parse_link_model(row.name, &problem);
    REQUIRE(model.has_value());
    CHECK(model->name == row.name);
    CHECK(model->lanes == row.lanes);
    CHECK(model->paced() == (row.generation != 0));
  }
  softntb_link_model_t row;
  CHECK(softntb_link_model(0, &row) == 1);
  CHECK(std::string(row.name) == "none");
  CHECK(softntb_link_model(static_cast<unsigned>(link_model_table().size()), &row) == 0);
}

TEST_CASE("an unknown model is refused with the list of what there is") {
  std::string problem;
  CHECK_FALSE(parse_link_model("pcie-gen9-x8", &problem).has_value());
  CHECK(problem.find("pcie-gen9-x8") != std::string::npos);
  for (const LinkModelRow& row : link_model_table()) CHECK(problem.find(row.name) != std::string::npos);
}

TEST_CASE("a custom model takes its figures from the text") {
  std::string problem;
  const auto model =
      parse_link_model("custom:gbps=2.5,dma-start-us=10,pio-write-us=0.5,pio-read-us=1.5", &problem);
  REQUIRE(model.has_value());
  CHECK(model->bytes_per_ns == 2.5);
  CHECK(model->dma_start_ns == 10'000);
  CHECK(model->pio_write_ns == 500);
  CHECK(model->pio_read_ns == 1'500);
  CHECK(model->wire_ns(5'000) == 2'000);
  for (const char* bad :
       {"custom:gbps=fast", "custom:gbps=-1", "custom:gbps=", "custom:lanes=4", "custom:gbps=nan"}) {
    CAPTURE(bad);
    problem.clear();
    CHECK_FALSE(parse_link_model(bad, &problem).has_value());
    CHECK_FALSE(problem.empty());
  }
}

TEST_CASE("transfers queue up for the wire in the order they ask for it") {
  LinkLedger ledger;
  const WireSlot first = ledger.reserve(1'000, 500);
  CHECK(first.begin_ns == 1'000);
  CHECK(first.end_ns == 1'500);
  // ready while the first transfer still occupies the wire
  const WireSlot second = ledger.reserve(1'100, 200);
  CHECK(second.begin_ns == 1'500);
  CHECK(second.end_ns == 1'700);
  const WireSlot third = ledger.reserve(5'000, 100);  // the wire was idle before
  CHECK(third.begin_ns == 5'000);
  CHECK(ledger.free_at_ns() == 5'100);
}

TEST_CASE("bytes arrive linearly while the transfer has the wire") {
  const WireSlot slot{1'000, 2'000};
  CHECK(arrived_bytes(slot, 4'000, 999) == 0);
  CHECK(arrived_bytes(slot, 4'000, 1'000) == 0);
  CHECK(arrived_bytes(slot, 4'000, 1'250) == 1'000);
  CHECK(arrived_bytes(slot, 4'000, 1'999) < 4'000);
  CHECK(arrived_bytes(slot, 4'000, 2'000) == 4'000);
  CHECK(arrived_bytes({0, 0}, 4'000, 0) == 4'000);
}

TEST_CASE("fault switches parse with their parameters") {
  std::string problem;
  auto faults =
      parse_faults("no-iommu,bit-flip:every=3,link-down:after-bytes=100,no-segments:after=2", &problem);
  REQUIRE(faults);
  CHECK(faults->no_iommu);
  CHECK_FALSE(faults->bit_flip.strike());
  CHECK_FALSE(faults->bit_flip.strike());
  CHECK(faults->bit_flip.strike());
  CHECK_FALSE(faults->link_down(100));
  CHECK(faults->link_down(1));
  CHECK(faults->take_segment());
  CHECK(faults->take_segment());
  CHECK_FALSE(faults->take_segment());

  auto none = parse_faults("", &problem);
  REQUIRE(none);
  CHECK_FALSE(none->no_iommu);
  CHECK_FALSE(none->bit_flip.strike());
  CHECK_FALSE(none->link_down(1u << 30));
}

TEST_CASE("a fault that is not understood is refused with the list of switches") {
  for (const char* bad :
       {"noiommu", "bit-flip:every=0", "bit-flip:rate=3", "no-iommu:every=2", "slow-link:factor=x"}) {
    CAPTURE(bad);
    std::string problem;
    CHECK_FALSE(parse_faults(bad, &problem));
    CHECK(problem.find("lost-interrupt") != std::string::npos);
  }
  char text[256];
  CHECK(softntb_check_settings("none", "no-iommu", text, sizeof text) == 1);
  CHECK(softntb_check_settings("nothing", "", text, sizeof text) == 0);
  CHECK(std::string(text).find("nothing") != std::string::npos);
}
