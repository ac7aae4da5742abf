// C++ for the messages of the protocol: which types hold them, and the files with their structs, parsers and writers.
import type { z } from 'zod';
import {
  dmaKind,
  doorbellSide,
  loadBlock,
  localPath,
  machineFacts,
  metricsHeader,
  reportedDetail,
  samplerCost,
} from '../../results/schema/index.ts';
import * as protocol from '../protocol.ts';
import { type Binding, Bindings, CppPrinter, isEnum, readerOf, type Schema } from './cpp.ts';
import { type GeneratedFile, header, mark, snake } from './cpp-text.ts';

const { agentInventory, agentMessage, controllerMessage, rankOutcome, transportCapability } = protocol;

/** Makes the binding of a C++ type that native code declares. @param more further properties of the binding */
const native = (type: string, more: Partial<Binding> = {}): Binding => ({ type, isNative: true, ...more });
/**
 * Maps fields to C++ members inside the member `member`: {device: 'ready.device', maxRate: 'ready.max_rate'}.
 * @param names names of the fields, separated by spaces
 */
const nestedMembers = (member: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, `${member}.${snake(name)}`]));

const { files, live, nvml, libraries } = machineFacts.shape;
const { gpus } = nvml.unwrap().shape;

/** C++ types of the records inside messages, with the C++ members that hold their fields. */
const recordBindings: [Schema, Binding][] = [
  [protocol.failureKind, { type: 'FailureKind' }],
  [protocol.launchActivity, { type: 'LaunchActivity' }],
  [protocol.rankProgress, { type: 'RankReport' }],
  [protocol.interfaceTraffic, { type: 'InterfaceTraffic' }],
  [protocol.connectionResult, { type: 'ReachabilityProbeResult' }],
  [protocol.coreSharing, { type: 'CoreSharing' }],
  [protocol.rankPlacement, { type: 'RankPlacement' }],
  [protocol.probeTarget, { type: 'ProbeTarget' }],
  [samplerCost.shape.jitterNs, { type: 'SamplingJitter' }],
  [protocol.medium, native('collbench::Medium')],
  [protocol.trialKind, native('collbench::TrialKind')],
  [localPath, native('collbench::LocalPath')],
  [doorbellSide, native('collbench::DoorbellSide')],
  [dmaKind, native('collbench::DmaPath')],
  [reportedDetail, native('collbench::TransportDetail')],
  [protocol.engineOffer, native('EngineOffer')],
  [
    transportCapability,
    native('TransportCapability', {
      members: nestedMembers('availability', 'available medium detail reason remedy facts'),
    }),
  ],
  [
    protocol.readyRank,
    native('ReadyRank', { members: nestedMembers('ready', 'device detail medium facts') }),
  ],
  [agentInventory, native('metrics::Inventory')],
  [agentInventory.shape.interfaces.element, native('metrics::InterfaceInfo')],
  [protocol.numaNode, native('metrics::NumaNode', { members: { node: 'number' } })],
  [metricsHeader.shape.channels.element, native('metrics::MetricChannel')],
  [metricsHeader.shape.failed.element, native('metrics::SourceFailure')],
  [files, native('facts::Files')],
  [live.unwrap(), native('facts::Live', { members: { clockMaxErrorUs: 'clock_max_error_us' } })],
  [gpus.element, native('facts::GpuFacts')],
  [nvml.unwrap(), native('facts::Nvml')],
  [libraries.element, native('facts::LibraryFacts')],
  [machineFacts, native('facts::MachineFacts')],
  [loadBlock, native('LoadOutcome')],
  [rankOutcome.shape.wrong.shape.first.unwrap(), native('FirstWrong')],
  [
    rankOutcome,
    native('RankOutcome', {
      members: {
        ...nestedMembers('choice', 'algorithm protocol'),
        ...nestedMembers(
          'samples',
          'markNs columns enqueueNs batch windowNs clockOffsetNs clockUncertaintyNs',
        ),
        ...nestedMembers('samples', 'commonStartNs startNs endNs late warmupNs checkingNs'),
        beside: 'load',
      },
      byHand: ['clock', 'counters.flaggedSent', 'counters.socketBytesReceived', 'counters.socketsGone'],
    }),
  ],
  [protocol.axes, native('Axes', { reader: 'read_axes' })],
  [protocol.transportOptions, native('TransportOptions', { reader: 'read_transport_options' })],
  [protocol.numberList, native('std::vector<int>', { reader: 'read_number_list' })],
];

/**
 * C++ types of messages from the agent, by the message's `type`, with the C++ members that hold its fields. A message that is not
 * listed has a generated struct: type `ready` becomes `ReadyEvent`.
 */
const eventBindings: Record<string, Binding> = {
  hello: native('AgentHello', {
    members: {
      ...nestedMembers('place', 'machine clock network'),
      ...nestedMembers('inventory', 'cpus oneCpuPerCore numa'),
      memoryLimitBytes: 'inventory.memory_limit',
    },
  }),
  failed: { type: 'LaunchFailure' },
  listener: { type: 'ProbeListener' },
};
/**
 * The `type` of messages from the agent that native code writes itself, because most of their text already exists as JSON or is
 * long.
 */
const eventsByHand = ['measured', 'samples'];

/**
 * C++ types of messages from the controller, by the message's `type`, with the C++ members that hold its fields. A message that is
 * not listed has a generated struct: type `launch` becomes `LaunchRequest`.
 */
const requestBindings: Record<string, Binding> = {
  connect: { type: 'ReachabilityProbeRequest' },
  exchanged: { type: 'ExchangedMessage' },
  measure: native('MeasureRequest', {
    members: {
      block: 'spec.trial.block',
      workload: 'spec.workload.name',
      trial: 'spec.trial',
      'trial.check': 'spec.check',
      ...nestedMembers('spec.workload', 'axes script'),
      ...nestedMembers('spec', 'release startAtNs'),
    },
  }),
  facts: native('FactsRequest', { members: nestedMembers('request', 'plugins hashes brief') }),
};
/**
 * The `type` of the controller messages for which native code has a function finish(), which checks all fields after they were
 * read.
 */
const finishedRequests = ['probe', 'launch', 'measure', 'sample'];

const typeOf = (message: z.ZodObject): string => String((message.shape.type as z.ZodLiteral).value);
const named = (message: z.ZodObject, suffix: string): Binding => {
  const type = typeOf(message);
  return { type: `${type.charAt(0).toUpperCase()}${type.slice(1)}${suffix}` };
};

const events = agentMessage.options.filter((message) => !eventsByHand.includes(typeOf(message)));
const requests: readonly z.ZodObject[] = controllerMessage.options;

const bindings = new Bindings([
  ...recordBindings,
  ...events.map((one) => [one, eventBindings[typeOf(one)] ?? named(one, 'Event')] as const),
  ...requests.map((one): [Schema, Binding] => {
    const binding = requestBindings[typeOf(one)] ?? named(one, 'Request');
    return [one, { ...binding, isFinished: finishedRequests.includes(typeOf(one)) }];
  }),
]);
const printer = new CppPrinter(bindings);

const writers = bindings.within([...events, rankOutcome]);
const readers = bindings
  .within([...requests, transportCapability])
  .filter((schema) => bindings.get(schema).reader === undefined && !isEnum(schema));
const declared = bindings.within([...events, ...requests]).filter((schema) => !bindings.get(schema).isNative);
const nativeEnums = [protocol.medium, protocol.trialKind, localPath, doorbellSide, dmaKind];

/**
 * Returns generated code for schemas, each in the namespace of its C++ type, because the JSON library looks for its
 * writer there.
 * @param textOf returns the generated code for one schema
 */
function inNamespaces(schemas: readonly Schema[], textOf: (schema: Schema) => string): string {
  const nameOf = (schema: Schema): string => {
    const prefix = /^(.*)::/.exec(bindings.get(schema).type)?.[1] ?? 'agent';
    return prefix === 'collbench' ? prefix : `collbench::${prefix}`;
  };
  return [...new Set(schemas.map(nameOf))]
    .map((name) => {
      const some = schemas.filter((schema) => nameOf(schema) === name);
      return `namespace ${name} {\n${some.map(textOf).join('')}}  // namespace ${name}\n`;
    })
    .join('\n');
}

const lineHead = (event: Schema) => `std::string to_line(const ${bindings.get(event).type}& value)`;

const source = 'orchestration/protocol.ts';
const folder = 'native/agent/protocol/generated';

const messagesHeader = header({
  file: `${folder}/messages.h`,
  source,
  includes: [
    ...['<cstdint>', '<map>', '<optional>', '<string>', '<string_view>', '<variant>', '<vector>\n'],
    '"agent/protocol/message_types.h"',
  ],
  namespace: 'collbench::agent',
  body: `inline constexpr int kProtocolVersion = ${protocol.protocolVersion};

${declared.map((schema) => printer.declaration(schema)).join('\n')}
using ControllerMessage = std::variant<${requests.map((one) => bindings.get(one).type).join(', ')}>;

/// Parses a line from the controller. @throws Error(kProtocol) naming the field, its value and the allowed values
ControllerMessage parse_controller_message(const std::string& line);

// Lines of messages to the controller, each with a newline at its end.

${events.map((event) => `${lineHead(event)};\n`).join('')}`,
});

/** Returns C++ declarations of the functions that native code must provide for a type, one a line; '' if there are none. */
const handWritten = ({ type, reader, isFinished }: Binding): string =>
  (reader === undefined ? '' : `${type} ${reader}(const JsonValue& from);\n`) +
  (isFinished ? `void finish(const JsonValue& from, ${type}& to);\n` : '');

const jsonHeader: GeneratedFile = {
  file: `${folder}/json.h`,
  text: `${mark(source)}#pragma once
#include "agent/protocol/json_value.h"
#include "agent/protocol/protocol.h"

namespace collbench {
${nativeEnums.map((schema) => printer.nativeEnum(schema)).join('')}}  // namespace collbench

${inNamespaces(writers, (schema) => `${printer.writerHead(schema)};\n`)}
namespace collbench::agent {
${bindings.all().map(handWritten).join('')}
${readers.map((schema) => `${printer.readerHead(schema)};\n`).join('')}}  // namespace collbench::agent
`,
};

const line = (event: z.ZodObject): string =>
  `${lineHead(event)} {\njson line = value;\nline["type"] = "${typeOf(event)}";\nreturn dump_line(line);\n}\n`;

const dispatch = (request: z.ZodObject): string =>
  `if (type == "${typeOf(request)}") return ${readerOf(bindings.get(request))}(from);\n`;

const sources: GeneratedFile = {
  file: `${folder}/messages.cc`,
  text: `${mark(source)}#include "agent/protocol/generated/json.h"

${inNamespaces(writers, (schema) => printer.writer(schema))}
namespace collbench::agent {
${events.map(line).join('\n')}
${readers.map((schema) => printer.reader(schema)).join('\n')}
ControllerMessage parse_controller_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonValue(message, "message").at("type").text();
  const JsonValue from(message, type);
  ${requests.map(dispatch).join('')}
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) + "' is unknown; there are: ${requests.map(typeOf).join(', ')}");
}

}  // namespace collbench::agent
`,
};

/** Generated files with the C++ structs, parsers and writers of all messages, before clang-format. */
export const messageFiles: readonly GeneratedFile[] = [messagesHeader, jsonHeader, sources];
