#include "contract/tests/samples.h"

#include <limits>

namespace collbench::agent {
namespace {

/// Returns a description of a transport: for kProcessMemory with every field, though no transport has all of
/// them; for the others with the other values of the fields that have few; without a path with no field.
TransportDetail a_detail(std::optional<LocalPath> path) {
  TransportDetail detail;
  detail.local_path = path;
  if (!path) return detail;
  if (path != LocalPath::kProcessMemory) {
    detail.software_card = "softmlx5";
    detail.doorbells = DoorbellSide::kCpuThreads;
    detail.dma = DmaPath::kRegistered;
    return detail;
  }
  detail.framework = "PyTorch 2.11.0";
  detail.backend = "gloo";
  detail.library = "NCCL 2.28.9";
  detail.library_transport = "sisci";
  detail.net_plugin = "SISCI";
  detail.net_plugin_version = 12;
  detail.net_plugin_path = "/lib/libnccl-net-sisci.so";
  detail.net_plugin_device = "sisci0";
  detail.network_interface = "lo";
  detail.streams = 4;
  detail.buffer_bytes = 8192;
  detail.chose_interface = true;
  detail.carried_by_loopback = true;
  detail.copies = 1;
  detail.single_copy_bytes = 65536;
  detail.adapter = "SISCI 2.5";
  detail.adapter_library = "/lib/libsisci.so";
  detail.node = 4;
  detail.software_card = "softntb";
  detail.link = "none";
  detail.queue = "rc";
  detail.doorbells = DoorbellSide::kGpuKernels;
  detail.dma = DmaPath::kUserMemory;
  detail.is_fake = true;
  detail.shares_gpu = true;
  detail.uses_mps = true;
  return detail;
}

TransportCapability a_transport(Medium medium, std::optional<LocalPath> path) {
  return {"sisci",
          "Dolphin PCIe NTB",
          {true, medium, a_detail(path), "a reason", "a remedy", {{"env.X", "1"}}},
          {"a last word"},
          {"init+0x10"}};
}

metrics::Inventory an_inventory() {
  metrics::Inventory inventory;
  inventory.hostname = "node1";
  inventory.os = "Linux";
  inventory.kernel = "6.1";
  inventory.architecture = "x86_64";
  inventory.cpu_model = "a CPU";
  inventory.cpu_count = 8;
  inventory.core_count = 4;
  inventory.numa_nodes = 2;
  inventory.memory_bytes = 1 << 30;
  inventory.virtualization = "kvm";
  inventory.interfaces = {{"eth0", "up", 1500, 10'000}, {"lo", "unknown", 65536, std::nullopt}};
  inventory.memory_limit = 629145600;
  inventory.cpus = "0-7";
  inventory.one_cpu_per_core = "0-3";
  inventory.numa = {{1, "0-7"}};
  return inventory;
}

std::string outcome(bool full) {
  RankOutcome rank;
  rank.rank = 1;
  rank.choice = {"ring", "Simple"};
  rank.paths = {{"NET/Socket", 4}};
  TrialSamples& samples = rank.samples;
  samples.common_start_ns = {90, 190};
  samples.start_ns = {100, 200};
  samples.end_ns = {150, 250};
  samples.late = {0, 1};
  samples.warmup_ns = {70};
  samples.columns = {{"ring", {12}}};
  samples.enqueue_ns = {4};
  samples.batch = 6;
  samples.mark_ns = 7;
  samples.window_ns = 8;
  samples.device_clock = full;
  if (full) {
    samples.clock_offset_ns = -5;
    samples.clock_uncertainty_ns = 3;
    rank.load = LoadOutcome{1, 2, 3, 4, 5, {6, 7, 8, 9}};
    rank.wrong = {2, 100, FirstWrong{7, 8, "1.5", "nan", "poison"}};
  }
  rank.operations = 9;
  rank.checks = 10;
  rank.samples.checking_ns = 11;
  rank.counters = {1, 2, 3, 4, 0};
  if (full) {
    rank.counters.flagged_sent = 2;
    rank.sockets = {5, 1};
  }
  return outcome_json(rank);
}

RankReport a_report() {
  return {2, 4711, true, "running", 3, 17, 5'000'000, {"#0 poll"}, {"a word"}, {"NCCL INFO"}};
}

facts::MachineFacts the_facts(bool full) {
  facts::MachineFacts all;
  all.files.text = {{"/proc/version", "Linux"}};
  all.files.links = {{"/sys/a", "/sys/b"}};
  all.files.denied = {"/root"};
  all.files.cut = {"/proc/long"};
  all.files.full = full;
  if (!full) return all;
  facts::Live live;
  live.glibc = "2.36";
  live.shm_bytes = 4096;
  live.shm_free_bytes = 2048;
  live.clock_synchronised = true;
  live.clock_max_error_us = 3;
  live.root = true;
  live.stat_later = "cpu 1";
  live.environment = {{"NCCL_DEBUG", "INFO"}};
  all.live = live;
  const facts::GpuFacts bare;
  const facts::GpuFacts gpu{"0000:1b:00.0", "a GPU",        8, 16, 4, 5, 1, 80'000, 70'000, 1, 18,
                            26'562,         {{"switch", 2}}};
  all.nvml = facts::Nvml{"no driver", "570.1", {gpu, bare}};
  all.libraries = {{"libnccl.so.2", "/lib/x", "not of this machine", "ab", 5, "cd", {"ncclNetPlugin_v8"}}};
  return all;
}

std::string samples() {
  metrics::RowRing ring(1, 2);
  metrics::RowRing::Row* row = ring.free_row();
  row->start_ns = 5;
  row->cost_ns = 1;
  row->values[0] = 0.5;
  row->values[1] = std::numeric_limits<double>::quiet_NaN();
  ring.publish();
  return samples_line(ring, 1);
}

std::vector<std::string> launches() {
  const auto ready = [](Medium medium, std::optional<LocalPath> path) {
    return RankReady{"lo", a_detail(path), medium, {{"gpu", "0"}}};
  };
  LaunchFailure failed;
  failed.launch = 1;
  failed.kind = FailureKind::kRankDied;
  failed.code = "SIGKILL";
  failed.rank = 1;
  failed.phase = "running";
  failed.activity = LaunchActivity::kMeasuring;
  failed.reason = "rank 1 was killed";
  failed.exit_status = 7;
  failed.out_of_memory = true;
  failed.process_state = "T";
  failed.worker_pid = 4713;
  failed.ranks = {a_report()};
  failed.traffic = {{"eth0", "up", 1, 2, 5, 3, 4}};
  failed.ras = {"a job"};
  std::vector<std::string> lines = {
      to_line(ExchangeEvent{1, 2, "handles", "AAEC"}),
      to_line(
          ReadyEvent{1,
                     5,
                     {{0, 4711, 3, ready(Medium::kHardware, LocalPath::kProcessMemory), "3", "bind:0", "1"},
                      {1, 4712, std::nullopt, ready(Medium::kEmulated, LocalPath::kSharedMemory)},
                      {2, 4713, std::nullopt, ready(Medium::kUnknown, LocalPath::kGpuStores)},
                      {3, 4714, std::nullopt, ready(Medium::kHardware, LocalPath::kNothing)},
                      {4, 4715, std::nullopt, ready(Medium::kHardware, std::nullopt)}}}),
      measured_line(1, 7, {outcome(true), outcome(false)}, {{"lo", 9}}),
      to_line(StoppedEvent{1}),
      to_line(failed),
      to_line(OutputEvent{1, 2, "stderr", "a line"}),
      to_line(OutputEvent{1, 2, "engine", "a line"}),
      to_line(LogEvent{"warn", 1, 2, "a word"}),
      to_line(LogEvent{"info", 1, 2, "a word"})};
  for (int kind = 0; kind < static_cast<int>(std::size(kFailureKinds)); ++kind) {
    LaunchFailure bare;
    bare.launch = 1;
    bare.kind = static_cast<FailureKind>(kind);
    bare.code = "a code";
    bare.phase = "connecting";
    bare.activity = static_cast<LaunchActivity>(kind % std::size(kLaunchActivities));
    bare.reason = "a word";
    bare.traffic = {{"eth0", "down", 1, 2}};
    lines.push_back(to_line(bare));
  }
  return lines;
}

}  // namespace

std::vector<std::string> sent_samples() {
  std::vector<std::string> lines = {
      hello_line(
          engines(),
          {a_transport(Medium::kHardware, LocalPath::kProcessMemory),
           a_transport(Medium::kEmulated, LocalPath::kSharedMemory),
           a_transport(Medium::kUnknown, LocalPath::kGpuStores),
           a_transport(Medium::kHardware, LocalPath::kNothing), a_transport(Medium::kHardware, std::nullopt)},
          an_inventory(), {"boot", "clock", "network"}, 5),
      hello_line({}, {}, metrics::Inventory{}, {}, 5),
      to_line(ClockEvent{1, 5}),
      to_line(ProbedEvent{1, a_transport(Medium::kEmulated, LocalPath::kSharedMemory)}),
      to_line(ProbedEvent{2, a_transport(Medium::kHardware, LocalPath::kProcessMemory)}),
      to_line(ProbedEvent{3, a_transport(Medium::kUnknown, LocalPath::kGpuStores)}),
      to_line(ProbedEvent{4, a_transport(Medium::kHardware, LocalPath::kNothing)}),
      to_line(ProbedEvent{5, a_transport(Medium::kHardware, std::nullopt)}),
      to_line(SamplingEvent{200'000'000, {{"cpu0.user", "ns", true}}, {{"nvml", "no GPU"}}}),
      samples(),
      to_line(SourceFailedEvent{"nvml", "gone"}),
      to_line(SampledEvent{10, 1, 2, 3, {4, 5, 6}}),
      to_line(FactsEvent{1, the_facts(true)}),
      to_line(FactsEvent{2, the_facts(false)}),
      to_line(FactsEvent{3, {{}, facts::Live{}, {}, {}}}),
      to_line(ProbeListener{1, "eth0", "10.0.0.1", 4000, "a problem", 5}),
      to_line(ConnectionsEvent{1, {{"through", "", 5, 6, 1500, 1448}, {"refused", "ECONNREFUSED", 7, 8}}}),
      to_line(BeatEvent{}),
      to_line(ProgressEvent{1, 2})};
  for (std::string& line : launches()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace collbench::agent
