#include "contract/tests/samples.h"

namespace collbench::agent {

std::vector<std::string> received_samples() {
  const std::string version = std::to_string(kProtocolVersion);
  const std::string options =
      R"({"interface":"eth0","token":"00","streams":2,"bufferBytes":65536,"queue":"dc","link":"pcie-gen1-x8","fault":"bit-flip",)"
      R"("library":"/lib/x.so","pathProof":false})";
  std::vector<std::string> lines = {
      R"({"type":"hello","logLevel":"debug","beatMs":1000,"protocol":)" + version + "}",
      R"({"type":"hello","protocol":)" + version + "}",
      R"({"type":"beat"})",
      R"({"type":"clock","id":1})",
      R"({"type":"probe","id":1,"engine":"nccl","transport":"sisci","options":)" + options +
          R"(,"settings":{"nccl":"/lib/y.so"},"environment":{"FI_PROVIDER":"tcp"},"deadlineMs":7500})",
      R"({"type":"probe","id":2,"transport":"socket","options":{}})",
      R"({"type":"launch","launch":1,"engine":"cpu","transport":"sisci","options":)" + options +
          R"(,"algorithm":"ring","settings":{"graph":"1"},"ranks":4,"localRanks":[1,2],"output":true,"highPriority":true,"leaveCpuQuota":true,)"
          R"("placements":[{"rank":1,"cpus":"0,1","memoryNodes":"3"},{"rank":2,"cpus":"2","memoryNodes":""}],)"
          R"("seed":7,"environment":{"NCCL_DEBUG":"INFO"},"together":{"ranks":5,"before":2},"turn":3,"deadlineMs":1000})",
      R"({"type":"exchanged","launch":1,"key":"handles","data":["AAEC","AwQF"]})",
      R"({"type":"measure","launch":1,"block":7,"workload":"collective","axes":{"collective":"broadcast",)"
      R"("dtype":"float32","op":null,"root":6,"inPlace":true,"bytes":1024},"trial":{"kind":"pipelined",)"
      R"("firstIteration":8,"warmup":2,"minSamples":5,"maxSamples":20,"targetNs":1000,"batch":9,"checkEvery":4,)"
      R"("check":false},"release":true,"startAtNs":11,"deadlineMs":1500})",
      R"({"type":"measure","launch":1,"block":8,"workload":"replay","axes":{"computeNs":10},"script":"wait","trial":{"kind":"isolated",)"
      R"("firstIteration":8,"warmup":2,"minSamples":5,"maxSamples":20,"targetNs":1000,"batch":1,"checkEvery":4,)"
      R"("check":true},"release":false,"deadlineMs":1500})",
      R"({"type":"stop","launch":1})",
      R"({"type":"sample","intervalUs":200000,"sources":["cpu"],"ranks":[1,2]})",
      R"({"type":"sample","intervalUs":200000,"sources":null,"ranks":[]})",
      R"({"type":"unsample"})",
      R"({"type":"facts","id":1,"plugins":["/lib/x.so"],"hashes":true,"brief":true})",
      R"({"type":"facts","id":2})",
      R"({"type":"listener","id":1,"interface":"eth0","word":"w"})",
      R"({"type":"connect","id":1,"interface":"eth0","word":"w","targets":[{"address":"10.0.0.1","port":4000}],)"
      R"("timeoutMs":1000})"};
  for (const EngineEntry& engine : engines())
    lines.push_back(
        R"({"type":"launch","launch":2,"engine":")" + std::string(engine.name) +
        R"(","transport":"socket","options":{},"algorithm":null,"ranks":1,"localRanks":[0],"seed":1,)"
        R"("environment":{},"deadlineMs":1000})");
  return lines;
}

}  // namespace collbench::agent
