#include "metrics/nvml.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "metrics/tests/readings.h"

using namespace collbench::metrics;

namespace {

Roots with_fake() {
  Roots roots = fixture("h200");
  roots.nvml = COLLBENCH_NVML_FAKE;
  return roots;
}

template <typename Function>
Function of_fake(const char* name) {
  static void* library = dlopen(COLLBENCH_NVML_FAKE, RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

TEST_CASE("nvml: load, power, clocks and links of each GPU; what one does not support has no channel") {
  const Readings r = read_once(with_fake(), "nvml");
  CHECK(r.at("gpu0.utilizationPercent") == 97);
  CHECK(r.at("gpu1.utilizationPercent") == 3);
  CHECK(r.at("gpu0.memoryUsedBytes") == 754'820'096);
  CHECK(r.at("gpu0.powerMilliwatt") == 698'123);  // momentary power
  CHECK(r.at("gpu1.powerMilliwatt") == 111'000);  // this GPU reports only the mean
  CHECK(r.at("gpu1.temperatureCelsius") == 42);
  CHECK(r.at("gpu0.smClockMHz") == 1980);
  CHECK(r.at("gpu0.memoryClockMHz") == 3201);
  CHECK(r.at("gpu0.throttleReasons") == 4);
  const Readings counters = read_once(with_fake(), "nvmlCounters");
  CHECK(counters.at("gpu0.nvlinkTxBytes") == 1000 * 1024);
  CHECK(counters.at("gpu0.nvlinkRxBytes") == 2000 * 1024);
  CHECK(counters.values.count("gpu1.nvlinkTxBytes") == 0);
  CHECK(counters.at("gpu0.pcieTxBytes") == 1099511627776);
  CHECK(counters.values.count("gpu0.pcieRxBytes") == 0);  // a 32-bit counter is rejected
  CHECK(counters.at("gpu0.pcieReplays") == 2);
  const Readings faults = read_once(with_fake(), "nvmlFaults");
  CHECK(faults.at("gpu0.eccCorrected") == 6);
  CHECK(faults.at("gpu0.eccUncorrected") == 1);
  CHECK(faults.at("gpu0.nvlinkReplays") == 8);
  CHECK(faults.values.size() == 3);
  CHECK(of_fake<int (*)()>("nvml_fake_users")() == 0);
}

TEST_CASE("nvml: energy counts up; a lost GPU is told of once and its values are absent") {
  SamplerOptions options;
  options.roots = with_fake();
  options.names = {"nvmlCounters"};
  Sampler sampler(options);
  std::size_t energy = 0;
  while (sampler.channels().at(energy).name != "gpu0.energyMillijoule") ++energy;
  CHECK(sampler.channels()[energy].cumulative);
  std::vector<double> first(sampler.channels().size()), second(first.size());
  sampler.read(first.data());
  sampler.read(second.data());
  CHECK(second[energy] > first[energy]);
  CHECK_FALSE(sampler.take_failure());
  const auto fail = of_fake<void (*)(int)>("nvml_fake_fail");
  fail(15);
  sampler.read(first.data());
  sampler.read(second.data());
  fail(0);
  CHECK(std::isnan(second[energy]));
  const auto failure = sampler.take_failure();
  REQUIRE(failure);
  CHECK(failure->source == "nvmlCounters");
  CHECK(failure->reason == "GPU 0, energyMillijoule: GPU is lost");
  CHECK_FALSE(sampler.take_failure());
}

TEST_CASE("nvml: a machine without the library says so, and the rest goes on") {
  const Readings r = read_once(fixture("h200"), "nvml");
  CHECK(r.values.empty());
  CHECK(r.absent.at("nvml").find("libnvidia-ml.so.none") != std::string::npos);
}
