#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/clock.h"
#include "core/error.h"
#include "engines/worker/child.h"
#include "engines/worker/framework.h"
#include "engines/worker/settings.h"
#include "transports/socket/interfaces.h"

namespace collbench::worker {
namespace {

constexpr std::int64_t kPatienceNs = 20'000'000'000;
constexpr std::int64_t kGraceNs = 1'000'000'000;

/// Answers with one line: which modules are there and their versions. None is imported, which would take
/// seconds.
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
os.write(4, (json.dumps(found) + "\n").encode())
)python";

Settings look(const Framework& framework, const std::string& python) {
  ChildRequest request{python, kLook, {}, {}, -1};
  request.arguments.assign(framework.modules.begin(), framework.modules.end());
  Child child(request);
  const std::int64_t end = now_ns() + kPatienceNs;
  const auto found = nlohmann::json::parse(child.hear([&] { return now_ns() > end; }));
  child.end(kGraceNs);
  return found.get<Settings>();
}

}  // namespace

Availability probe(const Framework& framework, const std::string& transport, const TransportOptions& options,
                   const Settings& settings) {
  Availability found;
  const std::string name(framework.name), title(framework.title);
  if (std::find(framework.transports.begin(), framework.transports.end(), transport) ==
      framework.transports.end()) {
    found.reason = "The " + name + " engine has no transport \"" + transport + "\".";
    found.remedy = "Take " + std::string(framework.transports.front()) + ".";
    return found;
  }
  std::string python = "python3";
  try {
    python = parse_settings(name, settings).python;
    for (const auto& [key, value] : look(framework, python)) found.facts[name + "." + key] = value;
    const auto interface = socket::choose_interface(options.interface_name, options.spans_hosts).interface;
    found.detail = "TCP over " + interface.name;
  } catch (const std::exception& error) {
    found.reason = title + " cannot run: " + std::string(error.what()) + ".";
    found.remedy = "Name a Python that has it with --python PATH.";
    return found;
  }
  std::string missing;
  for (const std::string_view module : framework.modules)
    if (!found.facts.contains(name + ".module." + std::string(module)))
      missing += (missing.empty() ? "" : ", ") + std::string(module);
  if (missing.empty()) {
    found.available = true;
    found.detail = title + " " + found.facts[name + ".module." + std::string(framework.modules.front())] +
                   ", " + found.detail;
    return found;
  }
  found.reason = python + " (Python " + found.facts[name + ".python"] + ") has no module " + missing + ".";
  found.remedy =
      "Install it (" + std::string(framework.install) + "), or name a Python that has it with --python PATH.";
  return found;
}

}  // namespace collbench::worker
