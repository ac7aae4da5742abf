import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/**
 * A node of Chakra's execution traces. A file is a sequence of protobuf messages, each preceded by its length: one of the
 * whole trace, then one for each node. Field numbers are those of et_def.proto of MLCommons.
 */
export interface ChakraNode {
  id: number;
  name: string;
  type: number;
  attributes: Record<string, string | number>;
  /** Text of the node's list of process groups; "" if it has none. */
  values: string;
}

const inTrace = { version: 1, attribute: 2 };
const inNode = { id: 1, name: 2, type: 3, inputs: 8, attribute: 10 };
const inInputs = { values: 1 };
const attributeName = 1;

/**
 * Functions that read an attribute's value, by its protobuf field number, which depends on the value's type. Lists and bytes are
 * not read.
 */
const readValue: Record<number, (reader: BinaryReader) => string | number> = {
  3: (reader) => reader.double(),
  5: (reader) => reader.float(),
  7: (reader) => reader.int32(),
  9: (reader) => Number(reader.int64()),
  11: (reader) => reader.uint32(),
  13: (reader) => Number(reader.uint64()),
  15: (reader) => reader.sint32(),
  17: (reader) => Number(reader.sint64()),
  19: (reader) => reader.fixed32(),
  21: (reader) => Number(reader.fixed64()),
  23: (reader) => reader.sfixed32(),
  25: (reader) => Number(reader.sfixed64()),
  27: (reader) => Number(reader.bool()),
  29: (reader) => reader.string(),
};

/** Calls `take` for each field of a protobuf message; `take` must read or skip the value. @param bytes the encoded message */
function eachField(
  bytes: Uint8Array,
  take: (field: number, reader: BinaryReader, wire: WireType) => void,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    take(field, reader, wire);
  }
}

function attributeOf(bytes: Uint8Array): [name: string, value: string | number] | null {
  let name = '';
  let value: string | number | null = null;
  eachField(bytes, (field, reader, wire) => {
    if (field === attributeName) name = reader.string();
    else if (field in readValue) value = readValue[field]?.(reader) ?? null;
    else reader.skip(wire, field);
  });
  return name === '' || value === null ? null : [name, value];
}

function nodeOf(bytes: Uint8Array): ChakraNode {
  const node: ChakraNode = { id: 0, name: '', type: 0, attributes: {}, values: '' };
  const attributes = new Map<string, string | number>();
  eachField(bytes, (field, reader, wire) => {
    if (field === inNode.id) node.id = Number(reader.uint64());
    else if (field === inNode.name) node.name = reader.string();
    else if (field === inNode.type) node.type = reader.int32();
    else if (field === inNode.attribute) {
      const found = attributeOf(reader.bytes());
      if (found !== null) attributes.set(...found);
    } else if (field === inNode.inputs)
      eachField(reader.bytes(), (inner, inputs, innerWire) => {
        if (inner === inInputs.values) node.values = inputs.string();
        else inputs.skip(innerWire, inner);
      });
    else reader.skip(wire, field);
  });
  return { ...node, attributes: Object.fromEntries(attributes) };
}

/**
 * Returns the version of the trace from its first message; null if the message is not that of a Chakra trace. Such a message has
 * only the version and attributes; some converters write the version as the attribute "schema".
 */
function versionOf(bytes: Uint8Array): string | null {
  let version: string | null = null;
  let isKnown = true;
  eachField(bytes, (field, reader, wire) => {
    if (field === inTrace.version && wire === WireType.LengthDelimited) version = reader.string();
    else if (field === inTrace.attribute && wire === WireType.LengthDelimited) {
      const [name, value] = attributeOf(reader.bytes()) ?? [];
      if (name === 'schema' && typeof value === 'string') version ??= value;
    } else {
      isKnown &&= field === inTrace.attribute;
      reader.skip(wire, field);
    }
  });
  return isKnown ? version : null;
}

/**
 * Parses a Chakra trace (protobuf); null if the content is not one. A last message that was cut off is left out; `isWhole` is then
 * false.
 */
export function chakraTrace(
  content: Uint8Array,
): { version: string; nodes: ChakraNode[]; isWhole: boolean } | null {
  try {
    const reader = new BinaryReader(content);
    const version = versionOf(reader.bytes());
    if (version === null || !/^[\w.+ -]{1,60}$/.test(version)) return null;
    const nodes: ChakraNode[] = [];
    try {
      while (reader.pos < reader.len) nodes.push(nodeOf(reader.bytes()));
    } catch {
      return { version, nodes, isWhole: false };
    }
    return { version, nodes, isWhole: true };
  } catch {
    return null;
  }
}
