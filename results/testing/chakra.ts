import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface ChakraCall {
  type: number;
  attributes: Record<string, number | string>;
  values?: string;
}

/**
 * Returns the bytes of a Chakra trace file with these calls, for tests. As in files of real tracing programs, messages have
 * further fields, which collbench's reader must skip.
 */
export function chakraFile(calls: readonly ChakraCall[], version = '0.0.4'): Buffer {
  const all = new BinaryWriter();
  all.bytes(new BinaryWriter().tag(1, WireType.LengthDelimited).string(version).finish());
  for (const [i, { type, attributes, values }] of calls.entries()) {
    const node = new BinaryWriter();
    node.tag(1, WireType.Varint).uint64(i + 1);
    node
      .tag(2, WireType.LengthDelimited)
      .string(values === undefined ? `node ${i}` : '## process_group:init ##');
    node.tag(3, WireType.Varint).int32(type);
    node.tag(4, WireType.LengthDelimited).fork().uint64(i).join(); // dependencies, packed
    node.tag(7, WireType.Varint).uint64(12);
    if (values !== undefined) {
      node.tag(8, WireType.LengthDelimited).fork();
      node
        .tag(2, WireType.LengthDelimited)
        .string('[]')
        .tag(1, WireType.LengthDelimited)
        .string(values)
        .join();
    }
    for (const [name, value] of Object.entries(attributes)) {
      node.tag(10, WireType.LengthDelimited).fork();
      node.tag(1, WireType.LengthDelimited).string(name).tag(2, WireType.LengthDelimited).string('about it');
      if (typeof value === 'string') node.tag(29, WireType.LengthDelimited).string(value);
      else node.tag(9, WireType.Varint).int64(value);
      node.join();
    }
    node.tag(11, WireType.LengthDelimited).bytes(new Uint8Array([8, 1]));
    all.bytes(node.finish());
  }
  return Buffer.from(all.finish());
}
