#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/clock.h"
#include "core/cores.h"
#include "core/error.h"
#include "engines/worker/child.h"
#include "engines/worker/framework.h"
#include "engines/worker/program_error.h"
#include "engines/worker/rendezvous.h"
#include "engines/worker/settings.h"
#include "engines/worker/worker_nccl.h"
#include "transports/socket/interfaces.h"

namespace collbench::worker {
namespace {

using json = nlohmann::json;

constexpr std::int64_t kGraceNs = 3'000'000'000;  // Time for frameworks to close their connections.
constexpr std::int64_t kLookNs = 500'000'000;
// Time to wait for the rank that failed first; frameworks end at their own pace.
constexpr std::int64_t kCauseNs = 3'000'000'000;
/// Seconds for which a rank's Python process waits for those of other ranks. It is longer than any deadline
/// of the agent, because the agent's report tells which rank is missing.
constexpr int kPeerPatienceS = 3600;

/// Returns the CRC-32 of a text, as zip files need it. It is computed bit by bit, because texts are short.
std::uint32_t zip_crc(const std::string& text) {
  constexpr std::uint32_t kPolynomial = 0xedb88320U;
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

/// Returns a number as text of `bytes` bytes, little-endian, for a zip file's headers.
std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
  return text;
}

/// Returns the bytes of an uncompressed zip file from which Python can import as from a folder.
/// @param modules source text by module name, without ".py"
std::string python_zip(const std::map<std::string, std::string>& modules) {
  std::string entries, directory;
  for (const auto& [module, text] : modules) {
    const std::string name = module + ".py";
    // Fields: version 2.0, no flags, stored, 1980-01-01.
    const std::string about = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) +
                              little(zip_crc(text), 4) + little(text.size(), 4) + little(text.size(), 4) +
                              little(name.size(), 2) + little(0, 2);
    directory += "PK\1\2" + little(20, 2) + about + little(0, 2) + little(0, 2) + little(0, 2) +
                 little(0, 4) + little(entries.size(), 4) + name;
    entries += "PK\3\4" + about + name + text;
  }
  return entries + directory + "PK\5\6" + little(0, 4) + little(modules.size(), 2) +
         little(modules.size(), 2) + little(directory.size(), 4) + little(entries.size(), 4) + little(0, 2);
}

/// Returns the TCP port at which the ranks of torch.distributed meet, from MASTER_PORT; 0 = not set.
int rendezvous_port(const EngineSettings& environment) {
  const auto port = environment.find("MASTER_PORT");
  return port == environment.end() ? 0 : std::atoi(port->second.c_str());
}

/// Sends requests to a rank's Python process (worker) and receives its answers, as lines of JSON. Each
/// request has one answer.
class WorkerConversation {
 public:
  WorkerConversation(const ChildRequest& request, const EngineOptions& options)
      : child_(request), options_(options), log_fd_(request.log_fd) {
    note(Rendezvous::kUnknown);
  }
  ~WorkerConversation() {
    child_.send(R"({"t":"bye"})");
    child_.end(is_cancelled() ? 0 : kGraceNs);
  }
  WorkerConversation(const WorkerConversation&) = delete;
  WorkerConversation& operator=(const WorkerConversation&) = delete;

  /// Makes later waits check whether the worker has connected to the other workers at this port; 0 = not
  /// known, so no check.
  void watch_rendezvous(int port) {
    port_ = port;
    if (port > 0) note(Rendezvous::kMissing);
  }

  // If the worker is gone, receive() reports how it ended.
  void send(const json& message) { child_.send(message.dump()); }
  json receive(const std::string& expected) {
    const std::string line = answer();
    const json answer = json::parse(line, nullptr, false);
    const std::string kind = answer.is_object() ? answer.value("t", "") : "";
    if (kind == expected) return answer;
    if (kind != "error")
      throw Error(ErrorCode::kProtocol,
                  "the worker process answered '" + line.substr(0, 200) + "' instead of " + expected);
    const std::string name = answer.value("class", "Error"), text = answer.value("text", "");
    const std::string said = "worker: " + name + " while " + answer.value("phase", "starting") + ": " + text;
    if (name == "ModuleNotFoundError") throw Error(ErrorCode::kUnavailable, said);
    throw failed(said, name + text);
  }
  json ask(const json& message, const std::string& expected) {
    send(message);
    return receive(expected);
  }

 private:
  [[nodiscard]] bool is_cancelled() const { return options_.cancelled && options_.cancelled(); }
  void note(Rendezvous rendezvous) {
    if (options_.note_worker) options_.note_worker(child_.pid(), rendezvous);
  }
  std::string answer() try {
    return child_.receive([this] {
      look();
      return is_cancelled();
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInternal) throw;
    const std::string words = last_exception_in(log_fd_);
    throw failed(error.what() + (words.empty() ? "" : ": " + words), words);
  }
  void look() {
    if (port_ == 0 || now_ns() < next_look_ns_) return;
    const Rendezvous found = rendezvous_state(child_.pid(), port_);
    note(found);
    if (found == Rendezvous::kJoined) port_ = 0;
    next_look_ns_ = now_ns() + kLookNs;
  }
  /// Returns the error to throw for a failed worker. If the worker failed only because of another one, waits
  /// a moment first, so that the rank with the cause reports earlier.
  /// @param said message of the error @param words text of its exception, in which the cause is looked for
  [[nodiscard]] Error failed(const std::string& said, const std::string& words) const {
    if (!is_peer_failure(words)) return {ErrorCode::kInternal, said};
    for (const std::int64_t end = now_ns() + kCauseNs; now_ns() < end && !is_cancelled();)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return {ErrorCode::kConnectionLost, said};
  }

  Child child_;
  const EngineOptions options_;
  int log_fd_ = -1, port_ = 0;
  std::int64_t next_look_ns_ = 0;
};

class Job final : public Training {
 public:
  Job(WorkerConversation& talk, const TrainingJob& job) : conversation_(talk), profiled_(job.profiled) {
    const json asked{{"model", job.model},
                     {"batch", job.batch},
                     {"image", job.image},
                     {"numerics", job.numerics},
                     {"bucketMiB", job.bucket_mib ? json(*job.bucket_mib) : json(nullptr)},
                     {"compile", job.compiled},
                     {"profiled", job.profiled},
                     {"seed", job.seed}};
    const json ready = conversation_.ask({{"t", "job"}, {"job", asked}}, "ready");
    step_bytes_ = ready.at("gradBytes").get<std::int64_t>() + ready.at("bufferBytes").get<std::int64_t>();
    collectives_ = ready.at("collectives").get<std::int64_t>();
    peak_bytes_ = ready.value("peakBytes", std::int64_t{0});
    timeline_ = ready.value("timeline", json::object());
  }
  void start(std::uint32_t steps) override { conversation_.send({{"t", "step"}, {"n", steps}}); }
  void wait() override { conversation_.receive("step"); }
  Verification verify() override {
    const json found = conversation_.ask({{"t", "check"}}, "check");
    return {found.at("compared").get<std::uint64_t>(),
            found.at("wrong").get<std::uint64_t>(),
            found.value("first", std::uint64_t{0}),
            found.value("wanted", ""),
            found.value("got", ""),
            found.value("note", "")};
  }
  void take_columns(OperationColumns& columns) override {
    columns["stepBytes"].push_back(step_bytes_);
    columns["collectives"].push_back(collectives_);
    if (peak_bytes_ > 0) columns["peakBytes"].push_back(peak_bytes_);
    if (!profiled_) return;
    for (const auto& [name, value] : timeline_.items())
      columns["timeline." + name].push_back(value.get<std::int64_t>());
    const json found = conversation_.ask({{"t", "profile"}}, "profile");
    for (const auto& [name, value] : found.at("columns").items())
      columns[name].push_back(value.get<std::int64_t>());
  }

 private:
  WorkerConversation& conversation_;
  bool profiled_;
  json timeline_;
  std::int64_t step_bytes_ = 0, collectives_ = 0, peak_bytes_ = 0;
};

class WorkerEngine final : public Engine {
 public:
  WorkerEngine(const Framework& framework, Bootstrap& bootstrap, const EngineOptions& options)
      : planned_(socket::choose_interface(options.transport_options.interface_name,
                                          options.transport_options.spans_hosts)) {
    const WorkerSettings settings = parse_settings(framework.name, options.settings);
    const std::string backend = settings.backend.empty() ? "gloo" : settings.backend;
    const int share = std::max(1, usable_cores() / std::max(1, options.local_ranks));
    const int threads = settings.threads > 0 ? settings.threads : share;
    const json arguments{{"rank", bootstrap.rank()},
                         {"world", bootstrap.size()},
                         {"localRank", options.local_rank},
                         {"localRanks", options.local_ranks},
                         {"backend", backend},
                         {"threads", threads},
                         {"timeoutS", kPeerPatienceS},
                         {"reads", kChildReads},
                         {"writes", kChildWrites},
                         {"gpus", settings.gpus},
                         {"shareGpu", settings.share_gpu}};
    ChildRequest request{settings.python, framework.text(), {arguments.dump()}, {}, options.log_fd};
    request.environment["OMP_NUM_THREADS"] = std::to_string(threads);
    request.environment["PYTHONUNBUFFERED"] = "1";
    if (settings.on_gpus()) request.library_log_fd = gpu_.emplace(options, settings).log_fd();
    json hello;
    EngineSettings environment, told;
    const ReservedAddress held(planned_.address);  // Held until all have joined.
    const auto meet = [&] {
      // A rank that does not get here is missing when the others gather addresses; the agent names it.
      const std::vector<std::string> addresses = bootstrap.all_gather("worker addresses", held.text());
      environment =
          framework.environment({bootstrap.rank(), options.local_rank, addresses, planned_.interface.name});
      told = environment;
      if (gpu_)
        for (const auto& [name, value] : gpu_->choose_environment(hello.value("nccl", "")))
          told[name] = value;
    };
    if (framework.is_own_program) {
      // The program joins the others by itself, before it asks for steps.
      hello = json::object();
      meet();
      request.text = python_zip({{"collbench", framework.text()}, {"sitecustomize", framework.startup()}});
      start_program(settings, told, arguments.dump(), request);
    }
    conversation_ = std::make_unique<WorkerConversation>(request, options);
    conversation_->watch_rendezvous(rendezvous_port(environment));
    hello = conversation_->receive("hello");
    if (!framework.is_own_program) {
      meet();
      conversation_->watch_rendezvous(rendezvous_port(environment));
    }
    const json joined = conversation_->ask({{"t", "join"}, {"environment", told}}, "joined");
    if (gpu_) gpu_->check();
    for (const json& answer : {hello, joined})
      for (const auto& [name, value] : answer.items())
        if (name != "t")
          facts_[std::string(framework.name) + "." + name] =
              value.is_string() ? value.get<std::string>() : value.dump();
    for (const auto& [name, value] : environment) facts_["env." + name] = value;
    facts_["env.OMP_NUM_THREADS"] = request.environment["OMP_NUM_THREADS"];
    if (gpu_) gpu_->add_facts(facts_);
    device_.name = planned_.interface.name;
    device_.pci_path = planned_.interface.pci_path;
    device_.speed_mbps = planned_.interface.speed_mbps;
    device_.detail.framework = std::string(framework.title) + " " + hello.value("version", "");
    if (gpu_) {
      gpu_->describe(joined.value("device", "GPU"), joined.value("nccl", hello.value("nccl", "")), device_);
      if (joined.value("sharesGpu", false)) device_.detail.shares_gpu = true;
      if (joined.value("usesMps", false)) device_.detail.uses_mps = true;
    } else {
      device_.detail.backend = joined.value("backend", backend);
      device_.detail.network_interface = planned_.interface.name;
    }
  }
  std::unique_ptr<Training> train(const TrainingJob& job) override {
    return std::make_unique<Job>(*conversation_, job);
  }
  [[nodiscard]] DeviceProperties device() const override { return device_; }
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const override {
    return gpu_ ? gpu_->paths() : std::map<std::string, std::uint64_t>{};
  }
  /// Makes the worker free the training job, because jobs of launches that do not measure would fill the GPU.
  /// The job is built again when it is needed.
  void release_buffers() override { conversation_->ask({{"t", "release"}}, "released"); }
  [[nodiscard]] EngineSettings facts() const override { return facts_; }
  [[nodiscard]] TransportCounters counters() const override {
    if (gpu_) gpu_->check();  // Programs may connect as late as in their first step.
    const json found = conversation_->ask({{"t", "counters"}}, "counters");
    return {found.at("sent").get<std::uint64_t>(), found.at("received").get<std::uint64_t>(), 0, 0};
  }

  [[nodiscard]] bool counts_sockets() const override { return !gpu_; }

 private:
  /// Prepares the start of the user's program. The modules that it imports are in a zip file, from which
  /// Python can import.
  static void start_program(const WorkerSettings& settings, const EngineSettings& variables,
                            const std::string& arguments, ChildRequest& request) {
    if (settings.command.empty()) throw Error(ErrorCode::kInvalidArgument, "script: there is no command");
    request.program = settings.command.front();
    request.arguments.assign(settings.command.begin() + 1, settings.command.end());
    request.runs_text = false;
    request.environment.insert(variables.begin(), variables.end());
    request.environment["COLLBENCH_WORKER"] = arguments;
    const char* path = std::getenv("PYTHONPATH");
    request.environment["PYTHONPATH"] = "/proc/self/fd/" + std::to_string(kChildText) +
                                        (path != nullptr && *path != 0 ? ":" + std::string(path) : "");
  }

  socket::PlannedInterface planned_;
  DeviceProperties device_;
  EngineSettings facts_;
  mutable std::optional<WorkerNccl> gpu_;  // Destroyed after the worker, which writes its log.
  std::unique_ptr<WorkerConversation> conversation_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const Framework& framework, Bootstrap& bootstrap,
                                    const EngineOptions& options) {
  return std::make_unique<WorkerEngine>(framework, bootstrap, options);
}

}  // namespace collbench::worker
