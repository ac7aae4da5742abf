// C++ for the messages of the protocol: which types hold them, and the files with their structs, parsers and writers.
import type { z } from 'zod';
import { loadBlock, machineFacts, metricsHeader } from '../../results/schema/index.ts';
import {
  absentCode,
  agentInventory,
  agentMessage,
  axes,
  connectionResult,
  controllerMessage,
  coreSharing,
  engineOffer,
  failureKind,
  interfaceTraffic,
  launchActivity,
  medium,
  neverJoinedCode,
  numaNode,
  numberList,
  probeTarget,
  protocolVersion,
  rankOutcome,
  rankPlacement,
  rankProgress,
  readyRank,
  transportCapability,
  transportOptions,
  trialKind,
} from '../protocol.ts';
import { type Binding, Bindings, boundWithin, CppPrinter, isEnum, readerName } from './cpp.ts';
import { type GeneratedFile, header, mark, snake } from './cpp-text.ts';

type Schema = z.core.$ZodType;

const struct = (type: string, more: Omit<Binding, 'type'> = {}): Binding => ({ type, ...more });
const generated = (type: string, more: Omit<Binding, 'type'> = {}): Binding => ({
  type,
  isGenerated: true,
  ...more,
});
/** Members of a field's own name inside another member. */
const inside = (member: string, names: string, within: string[] = names.split(' ')): Record<string, string> =>
  Object.fromEntries(within.map((name) => [name, `${member}.${snake(name)}`]));

const nvml = machineFacts.shape.nvml.unwrap();

/** C++ types of the records inside messages, by schema. */
const recordBindings: [Schema, Binding][] = [
  [failureKind, generated('FailureKind')],
  [launchActivity, generated('LaunchActivity')],
  [rankProgress, generated('RankReport')],
  [interfaceTraffic, generated('InterfaceTraffic')],
  [coreSharing, generated('CoreSharing')],
  [rankPlacement, generated('RankPlacement')],
  [probeTarget, generated('ProbeTarget')],
  [medium, struct('collbench::Medium')],
  [trialKind, struct('collbench::TrialKind')],
  [engineOffer, struct('EngineOffer')],
  [
    transportCapability,
    struct('TransportCapability', {
      members: inside('availability', 'available medium detail reason remedy facts'),
    }),
  ],
  [readyRank, struct('ReadyRank', { members: inside('ready', 'device detail medium facts') })],
  [connectionResult, struct('ReachabilityProbeResult')],
  [agentInventory, struct('metrics::Inventory')],
  [agentInventory.shape.interfaces.element, struct('metrics::InterfaceInfo')],
  [numaNode, struct('metrics::NumaNode', { members: { node: 'number' } })],
  [metricsHeader.shape.channels.element, struct('metrics::MetricChannel')],
  [metricsHeader.shape.failed.element, struct('metrics::SourceFailure')],
  [machineFacts, struct('facts::MachineFacts')],
  [machineFacts.shape.files, struct('facts::Files')],
  [
    machineFacts.shape.live.unwrap(),
    struct('facts::Live', { members: { clockMaxErrorUs: 'clock_max_error_us' } }),
  ],
  [nvml, struct('facts::Nvml')],
  [nvml.shape.gpus.element, struct('facts::GpuFacts')],
  [machineFacts.shape.libraries.element, struct('facts::LibraryFacts')],
  [loadBlock, struct('LoadOutcome')],
  [rankOutcome.shape.wrong.shape.first.unwrap(), struct('FirstWrong')],
  [
    rankOutcome,
    struct('RankOutcome', {
      members: {
        ...inside('choice', 'algorithm protocol'),
        ...inside('samples', 'markNs columns enqueueNs batch windowNs clockOffsetNs clockUncertaintyNs'),
        ...inside('samples', 'commonStartNs startNs endNs late warmupNs checkingNs'),
        beside: 'load',
      },
      byHand: ['clock', 'counters.flaggedSent', 'counters.socketBytesReceived', 'counters.socketsGone'],
    }),
  ],
  [axes, struct('Axes', { reader: 'read_axes' })],
  [transportOptions, struct('TransportOptions', { reader: 'read_transport_options' })],
  [numberList, struct('std::vector<int>', { reader: 'read_number_list' })],
];

/** C++ types that hold messages of the agent, by type of the message. Functions with a parameter per field write the others. */
const eventBindings: Record<string, Binding> = {
  hello: struct('AgentHello', {
    members: {
      ...inside('place', 'machine clock network'),
      ...inside('inventory', 'cpus oneCpuPerCore numa'),
      memoryLimitBytes: 'inventory.memory_limit',
    },
  }),
  sourceFailed: struct('metrics::SourceFailure'),
  sampled: struct('SamplingCost', {
    members: {
      'jitterNs.median': 'jitter_median_ns',
      'jitterNs.p99': 'jitter_p99_ns',
      'jitterNs.max': 'jitter_max_ns',
    },
  }),
  failed: generated('LaunchFailure', { byHand: ['launch'] }),
  listener: struct('ProbeListener', { members: { interface: 'interface_name' } }),
};
/** Messages of the agent that native code writes itself, because most of their text exists as JSON or is long. */
const eventsByHand = ['measured', 'samples'];

/** C++ types that hold messages of the controller, by type of the message. */
const requestBindings: Record<string, Binding> = {
  hello: generated('HelloRequest'),
  beat: generated('BeatMessage'),
  clock: generated('ClockRequest'),
  probe: generated('ProbeRequest', { finish: 'finish_probe' }),
  launch: generated('LaunchRequest', { finish: 'finish_launch', members: { places: 'placements' } }),
  exchanged: generated('ExchangedMessage'),
  measure: struct('MeasureRequest', {
    finish: 'finish_measure',
    members: {
      block: 'spec.trial.block',
      workload: 'spec.workload.name',
      trial: 'spec.trial',
      'trial.check': 'spec.check',
      ...inside('spec.workload', 'axes script'),
      ...inside('spec', 'release startAtNs'),
    },
  }),
  sample: generated('SampleRequest', { finish: 'finish_sample' }),
  unsample: generated('UnsampleRequest'),
  stop: generated('StopRequest'),
  facts: struct('FactsRequest', { members: inside('request', 'plugins hashes brief') }),
  listener: generated('ProbeListenerRequest', { members: { interface: 'interface_name' } }),
  connect: generated('ReachabilityProbeRequest', { members: { interface: 'interface_name' } }),
};

const typeOf = (message: z.ZodObject): string => {
  const [type] = (message.shape.type as z.ZodLiteral).values;
  return String(type);
};

const events: readonly z.ZodObject[] = agentMessage.options;
const requests: readonly z.ZodObject[] = controllerMessage.options;
const written = events.filter((message) => !eventsByHand.includes(typeOf(message)));

const bindings = new Bindings([
  ...recordBindings,
  ...events.flatMap((message): [Schema, Binding][] => {
    const binding = eventBindings[typeOf(message)];
    return binding === undefined ? [] : [[message, binding]];
  }),
  ...requests.map((message): [Schema, Binding] => {
    const binding = requestBindings[typeOf(message)];
    if (binding === undefined) throw new TypeError(`no C++ type for the message ${typeOf(message)}`);
    return [message, binding];
  }),
]);
const printer = new CppPrinter(bindings);

/** Bound schemas inside these, without the messages of the agent, which functions of their own write. */
const within = (schemas: readonly Schema[]): Schema[] => {
  const found = new Map<object, Schema>();
  for (const schema of schemas) boundWithin(schema, bindings, found);
  return [...found.values()].filter((schema) => !events.some((message) => message === schema));
};
const writers = within([...written, rankOutcome]);
const readers = within([...requests, transportCapability]).filter((schema) => {
  const { reader } = printer.bindingOf(schema);
  return reader === undefined && !isEnum(schema);
});
const foreignEnums = [...new Set([...writers, ...readers, trialKind])].filter(
  (schema): schema is z.ZodEnum => isEnum(schema) && !printer.bindingOf(schema).isGenerated,
);

const namespaceOf = ({ type }: Binding): string => {
  const prefix = /^(.*)::/.exec(type)?.[1];
  return prefix === undefined ? 'collbench::agent' : prefix === 'collbench' ? prefix : `collbench::${prefix}`;
};

/** Texts of schemas, each in the namespace of its C++ type, where the JSON library looks for its writer. */
function inNamespaces(schemas: readonly Schema[], textOf: (schema: Schema) => string): string {
  const nameOf = (schema: Schema) => namespaceOf(printer.bindingOf(schema));
  return [...new Set(schemas.map(nameOf))]
    .map((name) => {
      const some = schemas.filter((schema) => nameOf(schema) === name);
      return `namespace ${name} {\n${some.map(textOf).join('')}}  // namespace ${name}\n`;
    })
    .join('\n');
}

const source = 'orchestration/protocol.ts';
const folder = 'native/agent/protocol/generated';

const declared = [...new Set([...within([...written, ...requests]), ...written])].filter(
  (schema) => bindings.get(schema)?.isGenerated,
);

const messagesHeader = header({
  file: `${folder}/messages.h`,
  source,
  includes: [
    '<cstdint>',
    '<map>',
    '<optional>',
    '<string>',
    '<string_view>',
    '<variant>',
    '<vector>\n',
    '"agent/protocol/message_types.h"',
  ],
  namespace: 'collbench::agent',
  body: `inline constexpr int kProtocolVersion = ${protocolVersion};
/// Code of a hang whose suspect is not in the collective call in which all other ranks wait.
inline constexpr const char* kAbsentCode = "${absentCode}";
/// Code of a hang whose suspect has not connected to the address at which the ranks meet.
inline constexpr const char* kNeverJoinedCode = "${neverJoinedCode}";

${declared.map((schema) => printer.declaration(schema)).join('\n')}
using ControllerMessage = std::variant<${requests.map((one) => printer.typeOf(one)).join(', ')}>;

/// Parses a line from the controller. @throws Error(kProtocol) naming the field, its value and the allowed values
ControllerMessage parse_controller_message(const std::string& line);

// Lines of messages to the controller, each with a newline at its end.

${written.map((message) => `${printer.lineHead(message, typeOf(message))};\n`).join('')}`,
});

/** Declarations of functions that native code provides for a type. */
const handWritten = ({ type, reader, finish }: Binding): string =>
  (reader === undefined ? '' : `${type} ${reader}(const JsonValue& from);\n`) +
  (finish === undefined ? '' : `void ${finish}(const JsonValue& from, ${type}& to);\n`);

const jsonHeader: GeneratedFile = {
  file: `${folder}/json.h`,
  text: `${mark(source)}#pragma once
#include "agent/protocol/json_value.h"
#include "agent/protocol/protocol.h"

namespace collbench {
${foreignEnums.map((schema) => printer.enumNames(schema)).join('')}}  // namespace collbench

${inNamespaces(writers, (schema) => `${printer.writerHead(schema)};\n`)}
namespace collbench::agent {
${bindings.all().map(handWritten).join('')}
${readers.map((schema) => `${printer.readerHead(schema)};\n`).join('')}}  // namespace collbench::agent
`,
};

const names = requests.map(typeOf);

const sources: GeneratedFile = {
  file: `${folder}/messages.cc`,
  text: `${mark(source)}#include "agent/protocol/generated/json.h"

${inNamespaces(writers, (schema) => printer.writer(schema))}
namespace collbench::agent {
${written.map((message) => printer.line(message, typeOf(message))).join('\n')}
${readers.map((schema) => printer.reader(schema)).join('\n')}
ControllerMessage parse_controller_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonValue(message, "message").at("type").text();
  const JsonValue from(message, type);
  ${requests.map((one) => `if (type == "${typeOf(one)}") return ${readerName(printer.bindingOf(one))}(from);`).join('\n')}
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) + "' is unknown; there are: ${names.join(', ')}");
}

}  // namespace collbench::agent
`,
};

/** C++ structs, parsers and writers of all messages. */
export const messageFiles: readonly GeneratedFile[] = [messagesHeader, jsonHeader, sources];
