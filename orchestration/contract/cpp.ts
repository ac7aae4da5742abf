// C++ structs for schemas, and C++ code that reads and writes their JSON.
import { z } from 'zod';
import { comment, constantName, snake } from './cpp-text.ts';

type AnySchema = z.core.$ZodType;
type ObjectSchema = z.ZodObject;

/** C++ type that holds the values of a schema. */
export interface Binding {
  /** Name from namespace collbench on: "metrics::Inventory". */
  type: string;
  /** True if the struct or enum is generated; otherwise native code declares it. */
  isGenerated?: true;
  /**
   * C++ members by path of the field, "trial.check": "spec.check". Other fields are in the member of their own name, inside
   * that of the path above. C++ keeps times in ns: `deadlineMs` is in `deadline_ns`.
   */
  members?: Readonly<Record<string, string>>;
  /** Paths of fields that are no members: native code writes or reads them itself. */
  byHand?: readonly string[];
  /** Native function that reads the value from a JsonValue; for types that are neither structs nor enums. */
  reader?: string;
  /** Native function (JsonValue, T&) that checks a struct after all its fields have been read, and may complete it. */
  finish?: string;
}

/** C++ types by schema. Schemas that differ in their description alone have the same type. */
export class Bindings {
  private readonly byDefinition: ReadonlyMap<object, Binding>;

  constructor(entries: readonly (readonly [AnySchema, Binding])[]) {
    this.byDefinition = new Map(entries.map(([schema, binding]) => [definition(schema), binding]));
  }

  get(schema: AnySchema): Binding | undefined {
    return this.byDefinition.get(definition(schema));
  }

  has(schema: AnySchema): boolean {
    return this.get(schema) !== undefined;
  }

  all(): Binding[] {
    return [...this.byDefinition.values()];
  }
}

/** A field of a message, without the wrappers that make it optional. */
interface Field {
  name: string;
  schema: z.core.$ZodTypes;
  isOptional: boolean;
  isNullable: boolean;
  /** Value if the field is absent; undefined = none. */
  initial: unknown;
  docs: string | undefined;
}

const definition = (schema: AnySchema) => (schema as z.core.$ZodTypes)._zod.def;
const docsOf = (schema: AnySchema): string | undefined => (schema as z.ZodType).description;

function fieldOf(name: string, wrapped: AnySchema): Field {
  const field: Omit<Field, 'schema'> = {
    name,
    isOptional: false,
    isNullable: false,
    initial: undefined,
    docs: docsOf(wrapped),
  };
  let schema = wrapped as z.core.$ZodTypes;
  for (;;) {
    const def = schema._zod.def;
    if (def.type === 'optional') field.isOptional = true;
    else if (def.type === 'nullable') field.isNullable = true;
    else if (def.type === 'default') field.initial = def.defaultValue;
    else if (def.type !== 'nonoptional') return { ...field, schema };
    schema = def.innerType as z.core.$ZodTypes;
    if (def.type === 'nonoptional' && schema._zod.def.type === 'optional')
      schema = schema._zod.def.innerType as z.core.$ZodTypes;
    field.docs ??= docsOf(schema);
  }
}

/** Fields of a message except its type. */
export const fieldsOf = (schema: AnySchema): Field[] =>
  Object.entries((schema as ObjectSchema).shape)
    .filter(([, field]) => definition(field as AnySchema).type !== 'literal')
    .map(([name, field]) => fieldOf(name, field as AnySchema));

const unsupported = (what: string) => new TypeError(`no C++ for ${what}`);

interface IntegerRange {
  type: string;
  low: number;
  high: number;
}

/** C++ type and range of an integer schema; null = the schema takes any number. */
function integerRange(schema: AnySchema): IntegerRange | null {
  const { format } = schema as z.ZodNumber;
  const { minimum, maximum } = z.toJSONSchema(schema);
  const range = { low: minimum ?? Number.MIN_SAFE_INTEGER, high: maximum ?? Number.MAX_SAFE_INTEGER };
  if (format === 'int32') return { type: 'int', ...range };
  if (format === 'uint32') return { type: 'std::uint32_t', ...range };
  if (format !== 'safeint') return null;
  const isNatural = range.low === 0 && range.high === Number.MAX_SAFE_INTEGER;
  return { type: isNatural ? 'std::uint64_t' : 'std::int64_t', ...range };
}

/** Factor from a field's unit to ns; 1 for fields that are no times or are not kept in ns. */
const factorOf = (field: string, member: string): number =>
  !member.endsWith('_ns') ? 1 : field.endsWith('Ms') ? 1_000_000 : field.endsWith('Us') ? 1_000 : 1;
const factorText = (factor: number) => (factor === 1_000 ? "1'000" : "1'000'000");

const memberName = (field: string): string => snake(field.replace(/(?:Ms|Us)$/, 'Ns'));

/** Path of the C++ member that holds the field at this path of a schema. */
export function memberAt({ members = {} }: Binding, path: string): string {
  const own = members[path];
  if (own !== undefined) return own;
  const dot = path.lastIndexOf('.');
  const name = memberName(path.slice(dot + 1));
  return dot < 0 ? name : `${memberAt({ members } as Binding, path.slice(0, dot))}.${name}`;
}

export const isEnum = (schema: AnySchema): schema is z.core.$ZodEnum => definition(schema).type === 'enum';
const isObject = (schema: AnySchema): boolean => definition(schema).type === 'object';
const wordsOf = (schema: z.core.$ZodEnum): string[] => Object.values(schema._zod.def.entries).map(String);

/** Name of the array with the words of an enum: "kFailureKinds". */
const arrayOf = ({ type }: Binding): string => `k${type.replace(/^.*::/, '').replace(/y$/, 'ie')}s`;

/** Schemas inside a schema that have a binding, by definition; each after those inside itself. */
export function boundWithin(
  schema: AnySchema,
  bindings: Bindings,
  found = new Map<object, AnySchema>(),
): Map<object, AnySchema> {
  const def = definition(schema);
  const inside: AnySchema[] = [];
  if (def.type === 'object') inside.push(...Object.values(def.shape));
  else if (def.type === 'array') inside.push(def.element);
  else if (def.type === 'record') inside.push(def.valueType);
  else if ('innerType' in def) inside.push(def.innerType as AnySchema);
  else if (def.type === 'union') inside.push(...def.options);
  for (const one of inside) boundWithin(one, bindings, found);
  if (bindings.has(schema) && !found.has(def)) found.set(def, schema);
  return found;
}

/** Generates C++ for schemas whose types `bindings` has. */
export class CppPrinter {
  private readonly bindings: Bindings;

  constructor(bindings: Bindings) {
    this.bindings = bindings;
  }

  bindingOf(schema: AnySchema): Binding {
    const binding = this.bindings.get(schema);
    if (binding === undefined) throw unsupported(`this ${definition(schema).type}: it has no binding`);
    return binding;
  }

  /** C++ type of a schema's values. */
  typeOf(schema: AnySchema): string {
    const bound = this.bindings.get(schema);
    if (bound !== undefined) return bound.type;
    const def = definition(schema);
    if (def.type === 'string') return 'std::string';
    if (def.type === 'boolean') return 'bool';
    if (def.type === 'number') return integerRange(schema)?.type ?? 'double';
    if (def.type === 'enum') return 'std::string';
    if (def.type === 'array') return `std::vector<${this.typeOf(def.element)}>`;
    if (def.type === 'record') return `std::map<std::string, ${this.typeOf(def.valueType)}>`;
    throw unsupported(def.type);
  }

  private memberType(field: Field, member: string): string {
    const type = factorOf(field.name, member) === 1 ? this.typeOf(field.schema) : 'std::int64_t';
    return field.isOptional || field.isNullable ? `std::optional<${type}>` : type;
  }

  /** Value of a member of a new struct. */
  private initialOf(field: Field, type: string, member: string): string {
    if (typeof field.initial === 'string' && field.initial !== '') return JSON.stringify(field.initial);
    if (typeof field.initial === 'number' && field.initial !== 0)
      return groupDigits(field.initial * factorOf(field.name, member));
    if (type === 'bool') return String(field.initial ?? false);
    if (type === 'double') return '0.0';
    if (/^(int|std::u?int\d+_t)$/.test(type)) return '0';
    if (isEnum(field.schema) && this.bindings.has(field.schema))
      return `${type}::${constantName(wordsOf(field.schema)[0] ?? '')}`;
    return '{}';
  }

  /** Declaration of the generated struct or enum that holds the values of a schema. */
  declaration(schema: AnySchema, docs = docsOf(schema)): string {
    const binding = this.bindingOf(schema);
    if (isEnum(schema)) {
      const words = wordsOf(schema);
      return `${comment(docs)}enum class ${binding.type} : std::uint8_t { ${words.map(constantName).join(', ')} };
inline constexpr std::string_view ${arrayOf(binding)}[] = {${words.map((word) => JSON.stringify(word)).join(', ')}};\n`;
    }
    const fields = fieldsOf(schema).filter(({ name }) => !binding.byHand?.includes(name));
    const members = fields.map((field) => {
      const member = memberAt(binding, field.name);
      const type = this.memberType(field, member);
      const isDeclaredWithDocs =
        this.bindings.get(field.schema)?.isGenerated && field.docs === docsOf(field.schema);
      return `${comment(isDeclaredWithDocs ? undefined : field.docs)}${type} ${member} = ${this.initialOf(field, type, member)};\n`;
    });
    return `${comment(docs)}struct ${binding.type} {\n${members.join('')}};\n`;
  }

  /** Names of the words of an enum that native code declares, and a check that both have the same order. */
  enumNames(schema: z.core.$ZodEnum): string {
    const binding = this.bindingOf(schema);
    const words = wordsOf(schema);
    const checks = words.map(
      (word, i) => `static_assert(static_cast<int>(${binding.type}::${constantName(word)}) == ${i});\n`,
    );
    return `constexpr std::string_view ${arrayOf(binding)}[] = {${words.map((word) => JSON.stringify(word)).join(', ')}};\n${checks.join('')}`;
  }

  /** Statements that write the fields of an object to the JSON value `target`. */
  private writes(schema: AnySchema, binding: Binding, target: string, above: string, value: string): string {
    return fieldsOf(schema)
      .map((field) => {
        const path = above + field.name;
        if (binding.byHand?.includes(path)) return '';
        const to = `${target}["${field.name}"]`;
        if (isObject(field.schema) && !this.bindings.has(field.schema))
          return this.writes(field.schema, binding, to, `${path}.`, value);
        const member = `${value}${memberAt(binding, path)}`;
        if (field.isOptional) return `if (${member}) ${to} = *${member};\n`;
        return `${to} = ${field.isNullable ? `nullable(${member})` : this.written(field, member)};\n`;
      })
      .join('');
  }

  private written(field: Field, member: string): string {
    const factor = factorOf(field.name, member);
    if (factor === 1) return member;
    return integerRange(field.schema) === null
      ? `static_cast<double>(${member}) / ${factor === 1_000 ? '1e3' : '1e6'}`
      : `${member} / ${factorText(factor)}`;
  }

  /** Declaration of the function that writes a struct or enum as JSON, for the JSON library. */
  writerHead(schema: AnySchema): string {
    return `void to_json(nlohmann::json& to, const ${this.bindingOf(schema).type}& value)`;
  }

  writer(schema: AnySchema): string {
    const binding = this.bindingOf(schema);
    const body = isEnum(schema)
      ? `to = ${arrayOf(binding)}[static_cast<std::size_t>(value)];\n`
      : this.writes(schema, binding, 'to', '', 'value.');
    return `${this.writerHead(schema)} {\n${body}}\n`;
  }

  /** Parameters of the function that writes a message, and statements that write them. */
  private parameters(schema: AnySchema): { list: string[]; body: string } {
    const binding: Binding = { type: '' };
    const list = fieldsOf(schema).map((field) => {
      const name = memberAt(binding, field.name);
      const type = isEnum(field.schema) ? 'std::string_view' : this.memberType(field, name);
      const isValue = /^(bool|int|double|std::u?int\d+_t|std::string_view)$/.test(type);
      return `${isValue ? type : `const ${type}&`} ${name}`;
    });
    return { list, body: this.writes(schema, binding, 'line', '', '') };
  }

  /** Head of the function that returns the line of a message; a struct holds its fields except `launch` and `id`. */
  lineHead(message: ObjectSchema, type: string): string {
    const binding = this.bindings.get(message);
    if (binding === undefined)
      return `std::string ${snake(type)}_line(${this.parameters(message).list.join(', ')})`;
    const numbers = Object.keys(message.shape).filter((name) => name === 'launch' || name === 'id');
    const list = numbers.map((name) => (name === 'id' ? 'std::int64_t id' : 'int launch'));
    return `std::string ${snake(type)}_line(${[...list, `const ${binding.type}& value`].join(', ')})`;
  }

  line(message: ObjectSchema, type: string): string {
    const binding = this.bindings.get(message);
    const numbers = Object.keys(message.shape).filter((name) => name === 'launch' || name === 'id');
    const body =
      binding === undefined
        ? this.parameters(message).body
        : numbers.map((name) => `line["${name}"] = ${name};\n`).join('') +
          this.writes(
            message,
            { ...binding, byHand: [...(binding.byHand ?? []), ...numbers] },
            'line',
            '',
            'value.',
          );
    return `${this.lineHead(message, type)} {\njson line = {{"type", "${type}"}};\n${body}return dump_line(line);\n}\n`;
  }

  /** Expression that reads a value of the schema from the JsonValue `from`, whose functions `access` names. */
  private read(schema: AnySchema, from: string, access = `${from}.`): string {
    const bound = this.bindings.get(schema);
    if (bound?.reader !== undefined) return `${bound.reader}(${from})`;
    const def = definition(schema);
    if (bound !== undefined)
      return def.type === 'enum'
        ? `${access}choice<${bound.type}>(${arrayOf(bound)})`
        : `${readerName(bound)}(${from})`;
    if (def.type === 'string' || def.type === 'enum') return `${access}text()`;
    if (def.type === 'boolean') return `${access}boolean()`;
    const each = (item: AnySchema) => `[](const JsonValue& one) { return ${this.read(item, 'one')}; }`;
    if (def.type === 'array') {
      const { minItems, maxItems } = z.toJSONSchema(schema);
      const limits = [minItems ?? (maxItems === undefined ? '' : 0), maxItems ?? '']
        .filter((limit) => limit !== '')
        .map((limit) => `, ${limit}`)
        .join('');
      return `${access}list(${each(def.element)}${limits})`;
    }
    if (def.type === 'record') return `${access}map(${each(def.valueType)})`;
    const range = integerRange(schema);
    if (range === null) throw unsupported(`reading a ${def.type}`);
    const isWhole = range.low === Number.MIN_SAFE_INTEGER && range.high === Number.MAX_SAFE_INTEGER;
    return `${access}integer<${range.type}>(${isWhole ? '' : `${groupDigits(range.low)}, ${limitText(range.high)}`})`;
  }

  /** Statements that read the fields of an object from the JsonValue `from` into members of `to`. */
  private reads(schema: AnySchema, binding: Binding, from: string, above: string): string {
    return fieldsOf(schema)
      .map((field) => {
        const path = above + field.name;
        if (binding.byHand?.includes(path)) return '';
        const member = `to.${memberAt(binding, path)}`;
        if (isObject(field.schema) && !this.bindings.has(field.schema))
          return `{\nconst JsonValue ${snake(field.name)} = ${from}.at("${field.name}");\n${this.reads(field.schema, binding, snake(field.name), `${path}.`)}}\n`;
        const factor = factorOf(field.name, member);
        const value = (one: string, access?: string) =>
          this.read(field.schema, one, access) + (factor === 1 ? '' : ` * ${factorText(factor)}`);
        const isAlways = !field.isOptional && !field.isNullable && field.initial === undefined;
        return isAlways
          ? `${member} = ${value(`${from}.at("${field.name}")`)};\n`
          : `if (const auto found = ${from}.find("${field.name}")) ${member} = ${value('*found', 'found->')};\n`;
      })
      .join('');
  }

  readerHead(schema: AnySchema): string {
    const binding = this.bindingOf(schema);
    return `${binding.type} ${readerName(binding)}(const JsonValue& from)`;
  }

  reader(schema: AnySchema): string {
    const binding = this.bindingOf(schema);
    const finish = binding.finish === undefined ? '' : `${binding.finish}(from, to);\n`;
    const body = this.reads(schema, binding, 'from', '');
    if (body === '') return `${this.readerHead(schema).replace(/ from\)$/, ')')} {\nreturn {};\n}\n`;
    return `${this.readerHead(schema)} {\n${binding.type} to;\n${body}${finish}return to;\n}\n`;
  }
}

/** Name of the generated function that reads a struct: "read_launch_request". */
export const readerName = ({ type }: Binding): string => `read_${snake(type.replace(/^.*::/, ''))}`;

/** Returns a number as C++ literal with separators: 1000000 becomes 1'000'000. */
const groupDigits = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, "'");

const limitText = (value: number): string =>
  value === Number.MAX_SAFE_INTEGER
    ? 'kMaxExactInteger'
    : value === 2 ** 31 - 1
      ? 'kMaxInt'
      : value === 2 ** 32 - 1
        ? 'kMaxUint32'
        : groupDigits(value);
