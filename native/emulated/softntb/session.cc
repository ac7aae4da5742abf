#include "emulated/softntb/session.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "core/environment.h"
#include "core/spin.h"
#include "emulated/softntb/dma/engines.h"
#include "emulated/softntb/remote_segment.h"
#include "emulated/softntb/threads.h"

namespace collbench::softntb {
namespace {

std::mutex session_mutex;
std::shared_ptr<Session>& session_slot() {
  static auto* slot = new std::shared_ptr<Session>;
  return *slot;
}
int initialized = 0;

// Full speed for the fault slow-link if the model itself is unlimited.
constexpr double kMemoryBytesPerNs = 8;

void slow_down(LinkModel* model, double factor) {
  if (factor <= 1) return;
  model->name += " slowed by fault";
  model->bytes_per_ns = (model->bytes_per_ns > 0 ? model->bytes_per_ns : kMemoryBytesPerNs) / factor;
  for (std::int64_t* cost : {&model->dma_start_ns, &model->pio_write_ns, &model->pio_read_ns}) {
    *cost = static_cast<std::int64_t>(static_cast<double>(*cost) * factor);
  }
}

}  // namespace

std::atomic<std::int64_t> default_pio_write_ns{0};

std::shared_ptr<Session> Session::from_environment(std::string* problem) {
  auto session = std::make_shared<Session>();
  session->fabric = environment_value("SOFTNTB_FABRIC");
  if (session->fabric.empty()) session->fabric = "user" + std::to_string(geteuid());
  if (session->fabric.size() > 64 || session->fabric.find_first_of("/ \n\t") != std::string::npos) {
    *problem = "SOFTNTB_FABRIC must have at most 64 characters and no space or slash";
    return nullptr;
  }
  const auto model = parse_link_model(environment_value("SOFTNTB_LINK"), problem);
  if (!model) return nullptr;
  session->model = *model;
  session->faults = parse_faults(environment_value("SOFTNTB_FAULT"), problem);
  if (!session->faults) return nullptr;
  slow_down(&session->model, session->faults->slow_factor);
  const auto engines = parse_engines(environment_value("SOFTNTB_ENGINES"), problem);
  if (!engines) return nullptr;
  session->engines_ = *engines;
  if (!session->model.paced()) return session;
  std::byte* memory =
      session->links_memory.create(sizeof(AdapterLinks)) ? session->links_memory.map() : nullptr;
  if (memory == nullptr) {
    *problem = "no shared memory for the link model";
    return nullptr;
  }
  session->links = new (memory) AdapterLinks;
  return session;
}

int Session::count_engines() {
  const int count = engines_that_fit(usable_cores(), fabric_users(fabric));
  engines_.store(count, std::memory_order_relaxed);
  return count;
}

sci_error_t Session::use_adapter(unsigned adapter) {
  if (adapter >= kAdapters) return SCI_ERR_NO_SUCH_ADAPTERNO;
  const std::lock_guard lock(mutex_);
  if (presence_.count(adapter) != 0) return SCI_ERR_OK;
  FileDescriptor fd = listen_on(
      endpoint_name(fabric, node_of_adapter(adapter), Endpoint::kProcess, static_cast<unsigned>(getpid())));
  // EADDRINUSE: an earlier session of this process still has handles, so the node is visible anyway.
  if (!fd && errno != EADDRINUSE) return SCI_ERR_SYSTEM;
  presence_[adapter] = std::move(fd);
  return SCI_ERR_OK;
}

void Session::add_remote(sci_remote_segment* segment) {
  const std::lock_guard lock(mutex_);
  remotes_.insert(segment);
}

void Session::remove_remote(sci_remote_segment* segment) {
  const std::lock_guard lock(mutex_);
  remotes_.erase(segment);
}

bool Session::check_link(std::uint64_t bytes) noexcept {
  if (!faults->link_down(bytes)) return false;
  const std::lock_guard lock(mutex_);
  if (!told_down_) {
    told_down_ = true;
    for (sci_remote_segment* segment : remotes_)
      segment->deliver_event(SCI_CB_NOT_OPERATIONAL, SCI_ERR_NO_LINK_ACCESS);
  }
  return true;
}

std::shared_ptr<Session> current_session() {
  const std::lock_guard lock(session_mutex);
  return session_slot();
}

}  // namespace collbench::softntb

using namespace collbench::softntb;

extern "C" {

void SCIInitialize(unsigned int flags, sci_error_t* error) {
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  const std::lock_guard lock(session_mutex);
  if (initialized == 0) {
    std::string problem;
    auto session = Session::from_environment(&problem);
    if (!session) {
      std::fprintf(stderr, "softntb: %s\n", problem.c_str());
      return report(error, SCI_ERR_ILLEGAL_PARAMETER);
    }
    default_pio_write_ns = session->model.pio_write_ns;
    session_slot() = std::move(session);
    // A child of fork has none of the threads that serve this session, so it must call SCIInitialize again.
    static const int once = pthread_atfork(nullptr, nullptr, [] {
      initialized = 0;
      new (&session_slot()) std::shared_ptr<Session>;
    });
    static_cast<void>(once);
  }
  ++initialized;
  report(error, SCI_ERR_OK);
}

void SCITerminate(void) {
  {
    const std::lock_guard lock(session_mutex);
    if (initialized == 0 || --initialized > 0) return;
    session_slot().reset();
  }
  threads().stop_if_idle();
}

void SCIOpen(sci_desc_t* sd, unsigned int flags, sci_error_t* error) {
  if (sd == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if ((flags & ~SCI_FLAG_THREAD_SAFE) != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  auto session = current_session();
  if (!session) return report(error, SCI_ERR_NOT_INITIALIZED);
  *sd = new sci_desc;
  (*sd)->session = std::move(session);
  report(error, SCI_ERR_OK);
}

void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t* error) {
  if (sd == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  if (sd->users.load() != 0) return report(error, SCI_ERR_BUSY);
  delete sd;
  report(error, SCI_ERR_OK);
}

void SCIGetLocalNodeId(unsigned int adapterNo, unsigned int* nodeId, unsigned int flags, sci_error_t* error) {
  const auto session = current_session();
  if (!session) return report(error, SCI_ERR_NOT_INITIALIZED);
  if (nodeId == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  const sci_error_t status = session->use_adapter(adapterNo);
  if (status == SCI_ERR_OK) *nodeId = node_of_adapter(adapterNo);
  report(error, status);
}

int SCIProbeNode(sci_desc_t sd, unsigned int localAdapterNo, unsigned int nodeId, unsigned int flags,
                 sci_error_t* error) {
  sci_error_t status = SCI_ERR_OK;
  if (sd == nullptr) {
    status = SCI_ERR_ILLEGAL_PARAMETER;
  } else if (flags != 0) {
    status = SCI_ERR_ILLEGAL_FLAG;
  } else if (localAdapterNo >= kAdapters) {
    status = SCI_ERR_NO_SUCH_ADAPTERNO;
  } else if (nodeId == 0 || nodeId % 4 != 0 || nodeId > node_of_adapter(kAdapters - 1)) {
    status = SCI_ERR_ILLEGAL_NODEID;
  } else if (sd->session->link_down(0)) {
    status = SCI_ERR_NO_LINK_ACCESS;
  } else if (!node_present(sd->session->fabric, nodeId)) {
    status = SCI_ERR_NODE_NOT_RESPONDING;
  }
  report(error, status);
  return status == SCI_ERR_OK ? 1 : 0;
}

const char* SCIGetErrorString(sci_error_t code) {
#define SISCI_ERROR(name, value, text) \
  if (code == name) return text;
#include "vendor_api/sisci/sisci_errors.def"
#undef SISCI_ERROR
  return "Unknown error code";
}

}  // extern "C"
