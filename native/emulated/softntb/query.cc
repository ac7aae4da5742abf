// SCIQuery and the answers about softntb itself.
#include <cstdio>
#include <cstring>

#include "emulated/cards.h"
#include "emulated/softntb/dma/dma_transfer.h"
#include "emulated/softntb/local_segment.h"
#include "emulated/softntb/map.h"
#include "emulated/softntb/remote_segment.h"

using namespace collbench::softntb;

namespace {

constexpr const char* kApiVersion = "2.0 (softntb)";
constexpr unsigned kVendor = 0x11c8;  // Dolphin's PCI vendor id, which callers check

/// Returns the PCI address (bus, device, function in one number) that queries report for an adapter. There is
/// no such device; bus numbers from 0xf0 on do not occur on real machines.
constexpr unsigned emulated_bdf(unsigned adapter) {
  return ((0xf0U + adapter / 32) << 8) | ((adapter % 32) << 3);
}

sci_error_t answer_text(void* data, const std::string& text) {
  auto* query = static_cast<sci_query_string_t*>(data);
  if (query->str == nullptr || query->length == 0) return SCI_ERR_ILLEGAL_PARAMETER;
  if (text.size() + 1 > query->length) return SCI_ERR_OVERFLOW;
  std::memcpy(query->str, text.c_str(), text.size() + 1);
  return SCI_ERR_OK;
}

sci_error_t answer_adapter(Session& session, void* data) {
  const auto* query = static_cast<const sci_query_adapter_t*>(data);
  if (query->data == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (query->localAdapterNo >= kAdapters) return SCI_ERR_NO_SUCH_ADAPTERNO;
  auto* value = static_cast<unsigned*>(query->data);
  const unsigned adapter = query->localAdapterNo;
  const bool up = !session.link_down(0);
  switch (query->subcommand) {
    case SCI_Q_ADAPTER_SERIAL_NUMBER:
      *value = 0;
      break;
    case SCI_Q_ADAPTER_CARD_TYPE:
      *value = 0;
      break;
    case SCI_Q_ADAPTER_NODEID:
      *value = node_of_adapter(adapter);
      break;
    case SCI_Q_ADAPTER_CONFIGURED:
      *value = 1;
      break;
    case SCI_Q_ADAPTER_DMA_MTU:
      *value = 256;
      break;
    case SCI_Q_ADAPTER_MCAST_MAX_GROUPS:
      *value = 0;
      break;
    case SCI_Q_ADAPTER_BDF:
      *value = emulated_bdf(adapter);
      break;
    case SCI_Q_ADAPTER_NUMBER_OF_LINKS:
      *value = 1;
      break;
    case SCI_Q_ADAPTER_LINK_OPERATIONAL:
      *value = up ? 1 : 0;
      break;
    case SCI_Q_ADAPTER_LINK_WIDTH:
      *value = session.model.lanes;
      break;
    case SCI_Q_ADAPTER_LINK_SPEED:
      *value = session.model.generation;
      break;
    case SCI_Q_ADAPTER_LINK_CABLE_INSERTED:
      *value = 1;
      break;
    case SCI_Q_ADAPTER_LINK_ENABLED:
      *value = 1;
      break;
    case SCI_Q_ADAPTER_LINK_PARTNER_PORT_NO:
      *value = 0;
      break;
    default:
      return SCI_ERR_ILLEGAL_QUERY;
  }
  return SCI_ERR_OK;
}

sci_error_t answer_dma(void* data) {
  const auto* query = static_cast<const sci_query_dma_t*>(data);
  if (query->data == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  if (query->localAdapterNo >= kAdapters) return SCI_ERR_NO_SUCH_ADAPTERNO;
  if (query->subcommand == SCI_Q_DMA_AVAILABLE) {
    *static_cast<unsigned*>(query->data) = 1;
    return SCI_ERR_OK;
  }
  if (query->subcommand != SCI_Q_DMA_CAPABILITIES) return SCI_ERR_ILLEGAL_QUERY;
  sci_dma_capabilities_t capabilities{};
  capabilities.num_channels = 16;
  capabilities.max_transfer_size = static_cast<unsigned>(kTransferLimit);
  capabilities.max_vector_length = static_cast<unsigned>(kVectorLimit);
  capabilities.support_mem2io = 1;
  capabilities.support_io2mem = 1;
  capabilities.min_align_bytes = 1;
  capabilities.suggested_align_bytes = 64;
  *static_cast<sci_dma_capabilities_t*>(query->data) = capabilities;
  return SCI_ERR_OK;
}

sci_ioaddr_t as_address(const std::byte* at) {
  return static_cast<sci_ioaddr_t>(reinterpret_cast<std::uintptr_t>(at));
}

sci_error_t answer_segments(unsigned command, void* data) {
  if (command == SCI_Q_LOCAL_SEGMENT) {
    auto* query = static_cast<sci_query_local_segment_t*>(data);
    if (query->segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
    if (query->subcommand < SCI_Q_LOCAL_SEGMENT_IOADDR || query->subcommand > SCI_Q_LOCAL_SEGMENT_PHYS_ADDR) {
      return SCI_ERR_ILLEGAL_QUERY;
    }
    query->data.ioaddr = as_address(query->segment->base());
    return SCI_ERR_OK;
  }
  if (command == SCI_Q_REMOTE_SEGMENT) {
    auto* query = static_cast<sci_query_remote_segment_t*>(data);
    if (query->segment == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
    if (query->subcommand != SCI_Q_REMOTE_SEGMENT_IOADDR) return SCI_ERR_ILLEGAL_QUERY;
    query->data.ioaddr =
        query->segment->user_memory ? query->segment->address : as_address(query->segment->memory.map());
    return SCI_ERR_OK;
  }
  auto* query = static_cast<sci_query_map_t*>(data);
  if (query->map == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  switch (query->subcommand) {
    case SCI_Q_MAP_MAPPED_TO_LOCAL_TARGET:
    case SCI_Q_MAP_QUERY_REMOTE_MAPPED_TO_LOCAL_TARGET:
      query->data = query->map->local != nullptr ? 1 : 0;
      return SCI_ERR_OK;
    case SCI_Q_MAP_IOADDR:
    case SCI_Q_MAP_PHYS_ADDR:
      query->data = as_address(query->map->base);
      return SCI_ERR_OK;
    default:
      return SCI_ERR_ILLEGAL_QUERY;
  }
}

sci_error_t answer(unsigned command, void* data) {
  const auto session = current_session();
  if (!session) return SCI_ERR_NOT_INITIALIZED;
  if (data == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
  switch (command) {
    case SCI_Q_VENDORID: {
      char text[16];
      std::snprintf(text, sizeof text, "0x%04x", kVendor);
      return answer_text(data, text);
    }
    case SCI_Q_API:
      return answer_text(data, kApiVersion);
    case SCI_Q_SISCI_DRIVER_VERSION:
      return answer_text(data, "softntb (emulated) 1.0, link " + session->model.name);
    case SCI_Q_ADAPTER:
      return answer_adapter(*session, data);
    case SCI_Q_SYSTEM: {
      const auto* query = static_cast<const sci_query_system_t*>(data);
      if (query->data == nullptr) return SCI_ERR_ILLEGAL_PARAMETER;
      if (query->subcommand != SCI_Q_SYSTEM_CPU_CACHE_LINE_SIZE) return SCI_ERR_ILLEGAL_QUERY;
      *static_cast<unsigned*>(query->data) = 64;
      return SCI_ERR_OK;
    }
    case SCI_Q_DMA:
      return answer_dma(data);
    case SCI_Q_LOCAL_SEGMENT:
    case SCI_Q_REMOTE_SEGMENT:
    case SCI_Q_MAP:
      return answer_segments(command, data);
    default:
      return SCI_ERR_ILLEGAL_QUERY;
  }
}

}  // namespace

extern "C" {

void SCIQuery(unsigned int command, void* data, unsigned int, sci_error_t* error) {
  report(error, answer(command, data));
}

int softntb_link_model(unsigned int index, softntb_link_model_t* model) {
  const auto rows = link_model_table();
  if (index >= rows.size() || model == nullptr) return 0;
  *model = {rows[index].name, rows[index].summary, rows[index].generation, rows[index].lanes};
  return 1;
}

int softntb_check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes) {
  std::string text;
  const bool understood = parse_link_model(link == nullptr ? "" : link, &text).has_value() &&
                          parse_faults(fault == nullptr ? "" : fault, &text) != nullptr;
  if (!understood && problem != nullptr && problem_bytes > 0) {
    std::snprintf(problem, problem_bytes, "%s", text.c_str());
  }
  return understood ? 1 : 0;
}

}  // extern "C"
