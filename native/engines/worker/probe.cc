#include "engines/nccl/probe.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/clock.h"
#include "core/error.h"
#include "core/text.h"
#include "engines/worker/child.h"
#include "engines/worker/framework.h"
#include "engines/worker/settings.h"
#include "transports/socket/interfaces.h"

namespace collbench::worker {
namespace {

constexpr std::int64_t kPatienceNs = 20'000'000'000;
constexpr std::int64_t kGraceNs = 1'000'000'000;

/// Python program that prints one line: which of the given modules exist, and their versions. It does not
/// import them, because that would take seconds.
constexpr const char* kLook = R"python(
import importlib.metadata, importlib.util, json, os, platform, sys
found = {"python": platform.python_version(), "path": sys.executable}
for name in sys.argv[1:]:
    if importlib.util.find_spec(name) is None:
        continue
    packages = importlib.metadata.packages_distributions().get(name, [name]) if sys.version_info >= (3, 10) else [name]
    versions = []
    for package in packages:
        try:
            versions.append(importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError:
            pass
    found["module." + name] = versions[0] if versions else "unknown"
for package in ("nvidia.nccl", "torch"):  # where pip puts the library that frameworks load
    try:
        spec = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        continue
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = os.path.join(place, "lib", "libnccl.so.2")
        if os.path.exists(path):
            found.setdefault("libnccl", path)
os.write(4, (json.dumps(found) + "\n").encode())
)python";

EngineSettings look(const Framework& framework, const std::string& python) {
  ChildRequest request{python, kLook, {}, {}, -1};
  request.arguments.assign(framework.modules.begin(), framework.modules.end());
  Child child(request);
  const std::int64_t end = now_ns() + kPatienceNs;
  const auto found = nlohmann::json::parse(child.receive([&] { return now_ns() > end; }));
  child.end(kGraceNs);
  return found.get<EngineSettings>();
}

/// Checks that `python` and the framework's modules exist. If one is missing, the result has the reason and a
/// remedy.
Availability probe_python(const Framework& framework, const std::string& python) {
  Availability found;
  const std::string name(framework.name);
  for (const auto& [key, value] : look(framework, python)) found.facts[name + "." + key] = value;
  std::vector<std::string_view> missing;
  for (const std::string_view module : framework.modules)
    if (!found.facts.contains(name + ".module." + std::string(module))) missing.push_back(module);
  if (missing.empty()) {
    found.available = true;
    found.detail.framework =
        framework.modules.empty()
            ? "Python " + found.facts[name + ".python"]
            : std::string(framework.title) + " " +
                  found.facts[name + ".module." + std::string(framework.modules.front())];
    return found;
  }
  found.reason =
      python + " (Python " + found.facts[name + ".python"] + ") has no module " + join(missing) + ".";
  found.remedy =
      "Install it (" + std::string(framework.install) + "), or name a Python that has it with --python PATH.";
  return found;
}

/// Adds the checks of the nccl engine for this transport to `found`, with the libnccl that the framework has.
void add_nccl(const Framework& framework, const WorkerSettings& settings, const std::string& transport,
              const TransportOptions& options, Availability& found) {
  const std::string name(framework.name), title(framework.title);
  const auto library = found.facts.find(name + ".libnccl");
  if (library == found.facts.end()) {
    found.available = false;
    found.miss(settings.python + " has no libnccl.so.2 that " + title + " could load.",
               "Install a " + title + " for GPUs, or name a Python that has one with --python PATH.");
    return;
  }
  EngineSettings words{{"nccl", library->second}};
  if (!settings.gpus.empty()) {
    std::string& list = words["gpus"];
    for (const int gpu : settings.gpus) list += (list.empty() ? "" : ",") + std::to_string(gpu);
  }
  if (settings.share_gpu) words["shareGpu"] = "1";
  Availability nccl = nccl::probe(transport, options, words);
  nccl.facts["nccl.how"] = title + " of " + settings.python;
  found.facts.insert(nccl.facts.begin(), nccl.facts.end());
  found.medium = nccl.medium;
  nccl.detail.framework = found.detail.framework;
  found.detail = nccl.detail;
  if (nccl.available) return;
  found.available = false;
  found.miss(nccl.reason, nccl.remedy);
}

bool has(std::span<const std::string_view> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Availability probe(const Framework& framework, const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  const std::string name(framework.name), title(framework.title);
  WorkerSettings parsed;
  try {
    parsed = parse_settings(name, settings);
  } catch (const Error& error) {
    return refused(error, "Change that setting.");
  }
  if (!parsed.on_gpus() && !has(framework.transports, transport)) {
    const std::string usual(framework.transports.front());
    Availability answer;
    answer.miss(title + " has no transport " + transport + " in host memory",
                framework.has_nccl ? "Train on GPUs with --backend nccl, or take " + usual + "."
                                   : "Take " + usual + ".");
    return answer;
  }
  try {
    if (framework.is_own_program) {
      if (parsed.command.empty())
        throw Error(ErrorCode::kInvalidArgument,
                    "write the command behind --: collbench train -- python train.py");
      parsed.python = parsed.command.front();
    }
    Availability found = probe_python(framework, parsed.python);
    if (parsed.on_gpus()) {
      add_nccl(framework, parsed, transport, options, found);
    } else {
      const auto interface = socket::choose_interface(options.interface_name, options.spans_hosts).interface;
      found.detail.network_interface = interface.name;
    }
    return found;
  } catch (const std::exception& error) {
    Availability answer;
    answer.miss(title + " cannot run: " + error.what(),
                framework.is_own_program
                    ? "The program must be a Python that is there; the script is its first word."
                    : "Name a Python that has it with --python PATH.");
    return answer;
  }
}

}  // namespace collbench::worker
