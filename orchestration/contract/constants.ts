// Constants of TypeScript that native code needs, too, as C++ headers.
import {
  dtypeBytes,
  dtypeNames,
  latenessDivisor,
  longestSkewNs,
  opNames,
} from '../../results/schema/index.ts';
import {
  keyLikeValue,
  maxValueLength,
  openMpiParameter,
  recordedOpenMpiParameter,
  recordedPrefixes,
  secretName,
  secretValue,
} from '../../results/store/environment.ts';
import { errorCodes } from '../failures/error-codes.ts';
import { comment, constantName, type GeneratedFile, groupDigits, header, texts } from './cpp-text.ts';

/**
 * Returns a regular expression as a C++ string literal, with its quotes, in POSIX (extended) syntax. A slash needs no escape
 * there. Flags of the expression are dropped.
 */
const posix = ({ source }: RegExp): string => JSON.stringify(source.replaceAll('\\/', '/'));

const constant = (name: string, value: string, type: string): string =>
  `inline constexpr ${type} ${name} = ${value};\n`;

const pattern = (name: string, value: RegExp): string => constant(`${name}[]`, posix(value), 'char');

const enumeration = (type: string, words: readonly string[], docs: string): string =>
  `${comment(docs)}enum class ${type} : std::uint8_t { ${words.map(constantName).join(', ')} };\n`;

/**
 * C++ headers with constants that TypeScript defines, before clang-format. The native folders that use a constant include its
 * header.
 */
export const constantHeaders: readonly GeneratedFile[] = [
  header({
    file: 'native/core/generated/error_code.h',
    source: 'orchestration/failures/error-codes.ts',
    includes: ['<cstdint>'],
    namespace: 'collbench',
    body: `enum class ErrorCode : std::uint8_t {
${[...errorCodes].map(([name, { meaning }]) => `${comment(meaning)}${constantName(name)},\n`).join('')}};

struct ErrorCodeRow {
  /// Name in messages between processes and in reports. Names never change.
  const char* name;
  /// How well the code explains the ends of other ranks: 3 = an error of the rank itself; less = the rank
  /// ended because another one had ended.
  int explains;
};
/// Rows in the order of ErrorCode.
inline constexpr ErrorCodeRow kErrorCodes[] = {
${[...errorCodes].map(([name, { consequence }]) => `{"${name}", ${consequence?.order ?? 3}},\n`).join('')}};
`,
  }),
  header({
    file: 'native/core/generated/dtype.h',
    source: 'results/schema/names.ts',
    includes: ['<cstddef>', '<cstdint>', '<string_view>'],
    namespace: 'collbench',
    body: [
      enumeration(
        'DataType',
        dtypeNames,
        "Element types. Their values are this project's own; the nccl engine converts them to ncclDataType_t.",
      ),
      constant('kDataTypeNames[]', texts(dtypeNames), 'std::string_view'),
      constant(
        'kDataTypeBytes[]',
        `{${dtypeNames.map((name) => dtypeBytes[name]).join(', ')}}`,
        'std::size_t',
      ),
      enumeration(
        'ReduceOp',
        opNames,
        "Reductions. kAvg divides the sum by the number of ranks (for integers rounded towards zero, as in NCCL). kPremulsum multiplies each rank's input by that rank's factor (premul_factor()), then adds.",
      ),
      constant('kReduceOps[]', texts(opNames), 'std::string_view'),
    ].join(''),
  }),
  header({
    file: 'native/measure/generated/lateness.h',
    source: 'results/schema/block.ts',
    includes: ['<cstdint>'],
    namespace: 'collbench',
    body: constant('kLatenessDivisor', String(latenessDivisor), 'std::int64_t'),
  }),
  header({
    file: 'native/measure/generated/longest_skew.h',
    source: 'results/schema/skews.ts',
    includes: ['<cstdint>'],
    namespace: 'collbench',
    body: constant('kLongestSkewNs', groupDigits(longestSkewNs), 'std::int64_t'),
  }),
  header({
    file: 'native/metrics/facts/generated/recorded_environment.h',
    source: 'results/store/environment.ts',
    includes: ['<cstddef>', '<string_view>'],
    namespace: 'collbench::facts',
    body: [
      constant('kRecordedPrefixes[]', texts(recordedPrefixes), 'std::string_view'),
      pattern('kSecretName', secretName),
      pattern('kOpenMpiParameter', openMpiParameter),
      pattern('kRecordedOpenMpiParameter', recordedOpenMpiParameter),
      pattern('kSecretValue', secretValue),
      constant('kKeyLikeValue[]', `{${keyLikeValue.map(posix).join(', ')}}`, 'const char*'),
      constant('kMaxValueBytes', String(maxValueLength), 'std::size_t'),
    ].join(''),
  }),
];
