// SCIQuery.
#include <cstring>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {
namespace query {
namespace {

constexpr unsigned kUnasked = 0xabcdef01U;

sci_error_t ask(const SisciLibrary& lib, unsigned command, void* data) {
  return lib.SCIQuery.code(command, data, 0U);
}

void texts(SisciBench& bench) {
  for (const unsigned command :
       {bench.lib.SCI_Q_VENDORID, bench.lib.SCI_Q_API, bench.lib.SCI_Q_SISCI_DRIVER_VERSION}) {
    char text[256];
    std::memset(text, 'x', sizeof text);
    sci_query_string_t query{text, sizeof text};
    expect_ok("SCIQuery for a text", ask(bench.lib, command, &query));
    const std::size_t length = strnlen(text, sizeof text);
    expect(length > 0 && length < sizeof text, "a text that ends with a zero byte",
           std::to_string(length) + " bytes");
  }
}

void short_text(SisciBench& bench) {
  char text[8];
  std::memset(text, 'x', sizeof text);
  sci_query_string_t query{text, 1};
  static_cast<void>(ask(bench.lib, bench.lib.SCI_Q_API, &query));
  expect(text[1] == 'x', "nothing written behind 1 byte of room", "a byte behind it");
}

unsigned adapter_value(SisciBench& bench, unsigned subcommand, const char* name) {
  unsigned value = kUnasked;
  sci_query_adapter_t query{bench.exporter, 0, subcommand, &value};
  const sci_error_t error = ask(bench.lib, bench.lib.SCI_Q_ADAPTER, &query);
  if (error == SCI_ERR_ILLEGAL_QUERY) throw TestSkipped{std::string(name) + ": " + code_text(error)};
  expect_ok(name, error);
  expect(value != kUnasked, std::string(name) + ": a value", "none stored");
  return value;
}

void adapter_node(SisciBench& bench) {
  expect_equal("SCI_Q_ADAPTER_NODEID", bench.exporter_node,
               adapter_value(bench, bench.lib.SCI_Q_ADAPTER_NODEID, "SCI_Q_ADAPTER_NODEID"));
}

void adapter_link(SisciBench& bench) {
  const unsigned up =
      adapter_value(bench, bench.lib.SCI_Q_ADAPTER_LINK_OPERATIONAL, "SCI_Q_ADAPTER_LINK_OPERATIONAL");
  expect(up <= 1, "LINK_OPERATIONAL 0 or 1", std::to_string(up));
  if (up == 0) throw TestSkipped{"the link is not operational"};
}

void adapter_width(SisciBench& bench) {
  const unsigned width = adapter_value(bench, bench.lib.SCI_Q_ADAPTER_LINK_WIDTH, "SCI_Q_ADAPTER_LINK_WIDTH");
  const unsigned speed = adapter_value(bench, bench.lib.SCI_Q_ADAPTER_LINK_SPEED, "SCI_Q_ADAPTER_LINK_SPEED");
  expect(width <= 32 && (width & (width - 1)) == 0, "a width of up to 32 lanes", std::to_string(width));
  expect(speed <= 7, "a PCIe generation of up to 7", std::to_string(speed));
}

void adapter_address(SisciBench& bench) {
  const unsigned address = adapter_value(bench, bench.lib.SCI_Q_ADAPTER_BDF, "SCI_Q_ADAPTER_BDF");
  expect(address != 0 && address <= 0xffff, "bus, device and function in 16 bits", std::to_string(address));
}

void no_such_command(SisciBench& bench) {
  unsigned room[16] = {};
  expect_code("SCIQuery of command 99999", {SCI_ERR_ILLEGAL_QUERY}, ask(bench.lib, 99'999, room));
  unsigned value = 0;
  sci_query_adapter_t query{bench.exporter, 0, 99'999, &value};
  expect_code("SCIQuery of an adapter's subcommand 99999", {SCI_ERR_ILLEGAL_QUERY},
              ask(bench.lib, bench.lib.SCI_Q_ADAPTER, &query));
}

void no_such_adapter(SisciBench& bench) {
  unsigned value = 0;
  sci_query_adapter_t query{kNoAdapter, 0, bench.lib.SCI_Q_ADAPTER_NODEID, &value};
  expect_code("SCIQuery of adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              ask(bench.lib, bench.lib.SCI_Q_ADAPTER, &query));
}

void cache_line(SisciBench& bench) {
  unsigned bytes = 0;
  sci_query_system_t query{bench.lib.SCI_Q_SYSTEM_CPU_CACHE_LINE_SIZE, &bytes};
  const sci_error_t error = ask(bench.lib, bench.lib.SCI_Q_SYSTEM, &query);
  if (error == SCI_ERR_ILLEGAL_QUERY)
    throw TestSkipped{"SCI_Q_SYSTEM_CPU_CACHE_LINE_SIZE: " + code_text(error)};
  expect_ok("SCIQuery", error);
  expect(bytes >= 16 && bytes <= 256 && (bytes & (bytes - 1)) == 0, "a power of two from 16 to 256",
         std::to_string(bytes));
}

void dma_facts(SisciBench& bench) {
  unsigned available = kUnasked;
  sci_query_dma_t query{bench.importer, bench.lib.SCI_Q_DMA_AVAILABLE, &available};
  sci_error_t error = ask(bench.lib, bench.lib.SCI_Q_DMA, &query);
  if (error == SCI_ERR_ILLEGAL_QUERY) throw TestSkipped{"SCI_Q_DMA: " + code_text(error)};
  expect_ok("SCI_Q_DMA_AVAILABLE", error);
  if (available == 0) throw TestSkipped{"the adapter has no DMA engine"};
  // The union leaves room, because newer libraries may answer with more fields.
  union {
    sci_dma_capabilities_t facts;
    unsigned char room[512];
  } answer{};
  query = {bench.importer, bench.lib.SCI_Q_DMA_CAPABILITIES, &answer};
  error = ask(bench.lib, bench.lib.SCI_Q_DMA, &query);
  if (error == SCI_ERR_ILLEGAL_QUERY) throw TestSkipped{"SCI_Q_DMA_CAPABILITIES: " + code_text(error)};
  expect_ok("SCI_Q_DMA_CAPABILITIES", error);
  const auto is_power = [](unsigned value) { return value > 0 && (value & (value - 1)) == 0; };
  expect(answer.facts.num_channels > 0, "a DMA channel", "0");
  expect(answer.facts.max_transfer_size >= kPage, "transfers of 4096 B",
         std::to_string(answer.facts.max_transfer_size));
  expect(is_power(answer.facts.min_align_bytes) && is_power(answer.facts.suggested_align_bytes),
         "alignments that are powers of two",
         std::to_string(answer.facts.min_align_bytes) + " and " +
             std::to_string(answer.facts.suggested_align_bytes));
}

void segments(SisciBench& bench) {
  ConnectedSegments pair(bench, kPage);
  sci_query_local_segment_t local{};
  local.segment = pair.local.handle;
  local.subcommand = bench.lib.SCI_Q_LOCAL_SEGMENT_IOADDR;
  expect_ok("SCI_Q_LOCAL_SEGMENT_IOADDR", ask(bench.lib, bench.lib.SCI_Q_LOCAL_SEGMENT, &local));
  expect(local.data.ioaddr != 0, "an address above 0", "0");
  sci_query_remote_segment_t remote{};
  remote.segment = pair.remote.handle;
  remote.subcommand = bench.lib.SCI_Q_REMOTE_SEGMENT_IOADDR;
  expect_ok("SCI_Q_REMOTE_SEGMENT_IOADDR", ask(bench.lib, bench.lib.SCI_Q_REMOTE_SEGMENT, &remote));
  expect(remote.data.ioaddr != 0, "an address above 0", "0");
}

constexpr SisciTest kTests[] = {
    {"vendor, API and driver version are texts", texts},
    {"a text is not written past the room for it", short_text},
    {"the adapter's node id is that of SCIGetLocalNodeId", adapter_node},
    {"the link says whether it is operational", adapter_link},
    {"the link has a width and a PCIe generation", adapter_width},
    {"the adapter has a PCI address", adapter_address},
    {"an unknown command or subcommand is SCI_ERR_ILLEGAL_QUERY", no_such_command},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"the cache line size is a power of two", cache_line},
    {"the DMA engine says what it can do", dma_facts},
    {"segments have I/O addresses", segments},
};

}  // namespace
}  // namespace query

const std::span<const SisciTest> query_tests = query::kTests;

}  // namespace collbench::conformance::sisci
