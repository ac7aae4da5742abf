// C++ structs for schemas, and C++ code that reads and writes their JSON.
import { z } from 'zod';
import { comment, constantName, groupDigits, snake, texts } from './cpp-text.ts';

export type Schema = z.core.$ZodType;

/** C++ type that holds the values of a schema. */
export interface Binding {
  /**
   * Name of the type as written in namespace collbench::agent: "RankReport"; with a namespace for types outside of it:
   * "metrics::Inventory".
   */
  type: string;
  /** True if native code declares the struct or enum; otherwise it is generated. */
  isNative?: true;
  /**
   * C++ members, keyed by the path of the field: "trial.check": "spec.check". A field that is not listed is held by the member of
   * the same name, inside the member of the object around it; a time among them is held in ns: `deadlineMs` in `deadline_ns`.
   */
  members?: Readonly<Record<string, string>>;
  /** Paths of fields for which native code, not generated code, writes the JSON; absent = none. */
  byHand?: readonly string[];
  /**
   * Native function that reads the value from a JsonValue; for types that are neither structs nor enums. Absent = a generated
   * function.
   */
  reader?: string;
  /**
   * True if native code has a function finish(JsonValue, T&) that checks, and may complete, a struct after all its
   * fields have been read.
   */
  isFinished?: boolean;
}

const definition = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def;
const docsOf = (schema: Schema): string | undefined => (schema as z.ZodType).description;

/**
 * Looks up the C++ type for a message schema (zod), whether it is generated or declared by native code. Schemas that differ only in
 * their description have the same type.
 */
export class Bindings {
  private readonly byDefinition: ReadonlyMap<object, Binding>;

  constructor(entries: readonly (readonly [Schema, Binding])[]) {
    this.byDefinition = new Map(entries.map(([schema, binding]) => [definition(schema), binding]));
  }

  find(schema: Schema): Binding | undefined {
    return this.byDefinition.get(definition(schema));
  }

  /** Returns the C++ type for a schema. @throws {TypeError} if the schema has none; find() returns undefined instead */
  get(schema: Schema): Binding {
    const binding = this.find(schema);
    if (binding === undefined) throw new TypeError(`no C++ type for this ${definition(schema).type}`);
    return binding;
  }

  all(): Binding[] {
    return [...this.byDefinition.values()];
  }

  /**
   * Returns the schemas that have a C++ type, among the given ones and all that are nested in their fields, arrays and optional
   * values. A nested schema comes before the schema that contains it, as C++ declarations must.
   * @param found schemas found so far, for the recursion
   */
  within(schemas: readonly Schema[], found = new Map<object, Schema>()): Schema[] {
    for (const schema of schemas) {
      const def = definition(schema);
      if (def.type === 'object') this.within(Object.values(def.shape), found);
      else if (def.type === 'array') this.within([def.element], found);
      else if ('innerType' in def) this.within([def.innerType as Schema], found);
      if (this.find(schema) !== undefined && !found.has(def)) found.set(def, schema);
    }
    return [...found.values()];
  }
}

/**
 * A field of a message, whose schema is stripped of the zod wrappers for optional, nullable and default. `docs`: its description;
 * undefined = none.
 */
interface Field {
  name: string;
  schema: Schema;
  isOptional: boolean;
  isNullable: boolean;
  /** Default value if the field is absent; undefined = no default. */
  initial: unknown;
  docs: string | undefined;
}

/**
 * Returns the fields of an object. Fields with a literal value are left out, because they only name the type of a
 * message.
 */
function fieldsOf(object: Schema): Field[] {
  return Object.entries((object as z.ZodObject).shape).flatMap(([name, wrapped]): Field[] => {
    const field = { name, isOptional: false, isNullable: false, initial: undefined as unknown };
    let schema = wrapped as Schema;
    let docs = docsOf(schema);
    for (let def = definition(schema); 'innerType' in def; def = definition(schema)) {
      if (def.type === 'optional') field.isOptional = true;
      if (def.type === 'nullable') field.isNullable = true;
      if (def.type === 'default') field.initial = def.defaultValue;
      schema = def.innerType as Schema;
      docs ??= docsOf(schema);
    }
    return definition(schema).type === 'literal' ? [] : [{ ...field, schema, docs }];
  });
}

/**
 * Returns the C++ type of a number schema, with the lowest and highest value to check. `limits` is empty if nothing
 * has to be checked: for doubles, and for integers in the range that JavaScript holds exactly. For std::uint64_t it
 * has only the lowest value.
 */
function numberRange(schema: Schema): { type: string; limits: number[] } {
  const { format } = schema as z.ZodNumber;
  const { minimum: low = Number.MIN_SAFE_INTEGER, maximum: high = Number.MAX_SAFE_INTEGER } =
    z.toJSONSchema(schema);
  if (format === 'int32') return { type: 'int', limits: [low, high] };
  if (format === 'uint32') return { type: 'std::uint32_t', limits: [low, high] };
  if (format !== 'safeint') return { type: 'double', limits: [] };
  if (low === 0 && high === Number.MAX_SAFE_INTEGER) return { type: 'std::uint64_t', limits: [low] };
  return { type: 'std::int64_t', limits: low === Number.MIN_SAFE_INTEGER ? [] : [low, high] };
}

/**
 * Returns the factor from a field's unit to ns; 1 if the field is no time, or C++ does not hold it in ns.
 * @param member path of the C++ member that holds the field; it ends in `_ns` if it holds ns
 */
const factorOf = (field: string, member: string): number =>
  !member.endsWith('_ns') ? 1 : field.endsWith('Ms') ? 1_000_000 : field.endsWith('Us') ? 1_000 : 1;

/**
 * Returns the path of the C++ member that holds the field at a path of a schema.
 * @param binding C++ type of the object that contains the field
 */
function memberAt(binding: Binding, path: string): string {
  const dot = path.lastIndexOf('.');
  const name = snake(path.slice(dot + 1).replace(/(?:Ms|Us)$/, 'Ns'));
  return binding.members?.[path] ?? (dot < 0 ? name : `${memberAt(binding, path.slice(0, dot))}.${name}`);
}

export const isEnum = (schema: Schema): schema is z.core.$ZodEnum => definition(schema).type === 'enum';
const wordsOf = (schema: z.core.$ZodEnum): string[] => Object.values(schema._zod.def.entries).map(String);

const bareName = ({ type }: Binding): string => type.replace(/^.*::/, '');
/** Returns the name of the C++ array with the words of an enum: "kFailureKinds". */
const arrayOf = (binding: Binding): string => `k${bareName(binding).replace(/y$/, 'ie')}s`;
/**
 * Returns the name of the C++ function that reads a value of the type: `reader` of the binding, otherwise the name of the
 * generated function, such as "read_launch_request". Both have the parameter JsonValue.
 */
export const readerOf = (binding: Binding): string => binding.reader ?? `read_${snake(bareName(binding))}`;

/**
 * Returns a C++ statement that makes the JSON value an empty object; '' if at least one field is always written.
 * Without it the value would stay null if all optional fields are absent.
 */
const emptyObject = (schema: Schema): string =>
  fieldsOf(schema).every(({ isOptional }) => isOptional) ? 'to = nlohmann::json::object();\n' : '';

/**
 * Generates C++ code for the schemas that have a type in `bindings`. All functions return text, before clang-format. They throw
 * TypeError for a schema without a C++ type.
 */
export class CppPrinter {
  private readonly bindings: Bindings;

  constructor(bindings: Bindings) {
    this.bindings = bindings;
  }

  /**
   * Returns the C++ type for the values of a schema, such as "std::vector<int>". The enums without a C++ type of their own are
   * strings.
   * @throws {TypeError} if C++ has no type for it, as for unions
   */
  private typeOf(schema: Schema): string {
    const bound = this.bindings.find(schema);
    if (bound !== undefined) return bound.type;
    const def = definition(schema);
    if (def.type === 'number') return numberRange(schema).type;
    if (def.type === 'boolean') return 'bool';
    if (def.type === 'array') return `std::vector<${this.typeOf(def.element)}>`;
    if (def.type === 'record') return `std::map<std::string, ${this.typeOf(def.valueType)}>`;
    if (def.type === 'string' || def.type === 'enum') return 'std::string';
    throw new TypeError(`no C++ type for ${def.type}`);
  }

  /**
   * Returns the declaration of the struct or enum that holds the values of a schema, with its comment. After an enum comes the
   * array with its words.
   * @throws {TypeError} if the schema, or one of its fields, has no C++ type
   */
  declaration(schema: Schema): string {
    const { type } = this.bindings.get(schema);
    const docs = comment(docsOf(schema));
    if (isEnum(schema))
      return `${docs}enum class ${type} : std::uint8_t { ${wordsOf(schema).map(constantName).join(', ')} };\ninline ${this.words(schema)}`;
    return `${docs}struct ${type} {\n${fieldsOf(schema)
      .map((field) => this.member(field))
      .join('')}};\n`;
  }

  private member({ name, schema, isOptional, isNullable, initial, docs }: Field): string {
    const member = memberAt({ type: '' }, name);
    const factor = factorOf(name, member);
    const held = factor === 1 ? this.typeOf(schema) : 'std::int64_t';
    const type = isOptional || isNullable ? `std::optional<${held}>` : held;
    const zero = type === 'bool' ? 'false' : /^(?:int|std::u?int\d+_t)$/.test(type) ? '0' : '{}';
    const value = typeof initial === 'number' && initial !== 0 ? groupDigits(initial * factor) : zero;
    // A generated type has its comment at its own declaration.
    const bound = this.bindings.find(schema);
    const own = bound !== undefined && !bound.isNative && docs === docsOf(schema) ? undefined : docs;
    return `${comment(own)}${type} ${member} = ${value};\n`;
  }

  /** Returns the declaration of a C++ array with the words of an enum. */
  private words(schema: z.core.$ZodEnum): string {
    return `constexpr std::string_view ${arrayOf(this.bindings.get(schema))}[] = ${texts(wordsOf(schema))};\n`;
  }

  /**
   * Returns the array with the words of an enum that native code declares, and assertions that the C++ enum has the
   * same order.
   */
  nativeEnum(schema: z.core.$ZodEnum): string {
    const { type } = this.bindings.get(schema);
    const checks = wordsOf(schema).map(
      (word, i) => `static_assert(static_cast<int>(${type}::${constantName(word)}) == ${i});\n`,
    );
    return this.words(schema) + checks.join('');
  }

  /**
   * Returns statements that write the fields of an object from members of `value` to the JSON value `target`. Fields
   * listed in `byHand` are left out; times are converted from ns.
   * @param above path of the object within the message, with a dot at its end ("trial."); "" = the message itself
   */
  private writes(schema: Schema, binding: Binding, target: string, above = ''): string {
    const statements = fieldsOf(schema).map((field) => {
      const path = above + field.name;
      const to = `${target}["${field.name}"]`;
      if (binding.byHand?.includes(path)) return '';
      if (this.isInline(field.schema)) return this.writes(field.schema, binding, to, `${path}.`);
      const member = `value.${memberAt(binding, path)}`;
      if (field.isOptional) return `if (${member}) ${to} = *${member};\n`;
      if (field.isNullable) return `${to} = nullable(${member});\n`;
      const factor = groupDigits(factorOf(field.name, member));
      if (factor === '1') return `${to} = ${member};\n`;
      const isWhole = numberRange(field.schema).type !== 'double';
      return `${to} = ${isWhole ? member : `static_cast<double>(${member})`} / ${factor};\n`;
    });
    return statements.join('');
  }

  /** True for an object without a C++ type of its own: its fields are members of the struct around it. */
  private isInline(schema: Schema): boolean {
    return definition(schema).type === 'object' && this.bindings.find(schema) === undefined;
  }

  /**
   * Returns the signature of the C++ function to_json, by which the JSON library writes a struct or enum.
   * @param name name of the C++ parameter with the value
   */
  writerHead(schema: Schema, name = 'value'): string {
    return `void to_json(nlohmann::json& to, const ${this.bindings.get(schema).type}& ${name})`;
  }

  writer(schema: Schema): string {
    const binding = this.bindings.get(schema);
    const body = isEnum(schema)
      ? `to = ${arrayOf(binding)}[static_cast<std::size_t>(value)];\n`
      : emptyObject(schema) + this.writes(schema, binding, 'to');
    return `${this.writerHead(schema, body.includes('value') ? 'value' : '/*value*/')} {\n${body}}\n`;
  }

  /**
   * Returns a C++ expression, without semicolon, that reads a value of the schema from a JsonValue.
   * @param from name of the C++ variable with the JsonValue
   * @param access text with which its member functions are called: "from.", or "found->" for a pointer
   * @throws {TypeError} if C++ has no type for the schema
   */
  private read(schema: Schema, from: string, access = `${from}.`): string {
    const bound = this.bindings.find(schema);
    if (bound !== undefined && isEnum(schema)) return `${access}choice<${bound.type}>(${arrayOf(bound)})`;
    if (bound !== undefined) return `${readerOf(bound)}(${from})`;
    const def = definition(schema);
    const each = (item: Schema) => `[](const JsonValue& one) { return ${this.read(item, 'one')}; }`;
    if (def.type === 'boolean') return `${access}boolean()`;
    if (def.type === 'record') return `${access}map(${each(def.valueType)})`;
    if (def.type === 'number') {
      const { type, limits } = numberRange(schema);
      return `${access}integer<${type}>(${limits.map(groupDigits).join(', ')})`;
    }
    if (def.type !== 'array') return `${access}text()`;
    const { minItems, maxItems } = z.toJSONSchema(schema);
    const limits =
      maxItems !== undefined ? [minItems ?? 0, maxItems] : minItems !== undefined ? [minItems] : [];
    return `${access}list(${[each(def.element), ...limits].join(', ')})`;
  }

  /**
   * Returns statements that read the fields of an object from the JsonValue `from` into members of `to`.
   * @param above path of the object within the message, with a dot at its end ("trial."); "" = the message itself
   */
  private reads(schema: Schema, binding: Binding, from: string, above = ''): string {
    const statements = fieldsOf(schema).map((field) => {
      const { name } = field;
      const path = above + name;
      if (this.isInline(field.schema))
        return `const JsonValue ${snake(name)} = ${from}.at("${name}");\n${this.reads(field.schema, binding, snake(name), `${path}.`)}`;
      const member = `to.${memberAt(binding, path)}`;
      const factor = groupDigits(factorOf(name, member));
      const unit = factor === '1' ? '' : ` * ${factor}`;
      return !field.isOptional && !field.isNullable && field.initial === undefined
        ? `${member} = ${this.read(field.schema, `${from}.at("${name}")`)}${unit};\n`
        : `if (const auto found = ${from}.find("${name}")) ${member} = ${this.read(field.schema, '*found', 'found->')}${unit};\n`;
    });
    return statements.join('');
  }

  readerHead(schema: Schema, name = 'from'): string {
    const binding = this.bindings.get(schema);
    return `${binding.type} ${readerOf(binding)}(const JsonValue& ${name})`;
  }

  reader(schema: Schema): string {
    const binding = this.bindings.get(schema);
    const body = this.reads(schema, binding, 'from') + (binding.isFinished ? 'finish(from, to);\n' : '');
    return `${this.readerHead(schema, body === '' ? '/*from*/' : 'from')} {\n${binding.type} to;\n${body}return to;\n}\n`;
  }
}
