import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chosenText,
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatDuration,
  formatPercent,
  formatRatio,
  formatTime,
  joinTitles,
  shortTransport,
  sizeFlag,
  splitEnds,
  threeDigits,
  transportLabel,
  wrap,
} from './wording.ts';

const table = <T>(format: (value: T) => string, rows: [T, string][]) => {
  for (const [value, text] of rows) assert.equal(format(value), text, `of ${value}`);
};

test('numbers have three significant digits and no exponent', () => {
  table(threeDigits, [
    [0, '0'],
    [4.7123, '4.71'],
    [0.5, '0.500'],
    [99.96, '100'],
    [281.4, '281'],
    [1234.5, '1230'],
    [0.00123, '0.00123'],
  ]);
});

test('times choose the unit after rounding, so that 999.7 µs is 1.00 ms', () => {
  table(formatTime, [
    [52, '52.0 ns'],
    [99.99, '100 ns'],
    [523, '0.523 µs'],
    [999.9, '1.00 µs'],
    [4712, '4.71 µs'],
    [281_400, '281 µs'],
    [999_700, '1.00 ms'],
    [978e6, '978 ms'],
    [1.2e9, '1.20 s'],
    [95e9, '95.0 s'],
  ]);
  assert.equal(formatTime(4712), '4.71 µs');
});

test('bandwidth is decimal, sizes are binary', () => {
  table(formatBandwidth, [
    [0, '0 GB/s'],
    [7.1, '7.10 GB/s'],
    [0.9996, '1.00 GB/s'],
    [0.0154, '15.4 MB/s'],
    [0.00000085, '850 B/s'],
    [1234, '1230 GB/s'],
  ]);
  table(formatBytes, [
    [0, '0 B'],
    [8, '8 B'],
    [1024, '1 KiB'],
    [1536, '1,536 B'],
    [2 ** 20, '1 MiB'],
    [2 ** 30, '1 GiB'],
    [1_000_000, '1,000,000 B'],
  ]);
  table(formatBytesAbout, [
    [194_560, '190 KiB'],
    [2 ** 20, '1 MiB'],
    [1.5 * 2 ** 20, '1.50 MiB'],
    [300.4, '300 B'],
  ]);
  table(sizeFlag, [
    [8, '8'],
    [1024, '1K'],
    [2 ** 30, '1G'],
    [1000, '1000'],
  ]);
});

test('shares, ratios and durations', () => {
  table(formatPercent, [
    [0, '0.0 %'],
    [0.0001, '<0.1 %'],
    [0.008, '0.8 %'],
    [-0.008, '0.8 %'],
    [0.0996, '10 %'],
    [0.123, '12 %'],
  ]);
  table(formatRatio, [
    [1.04, '1.04x'],
    [1.997, '2.0x'],
    [9.06, '9.1x'],
    [38.2, '38x'],
  ]);
  table(formatDuration, [
    [41.6, '42 s'],
    [192, '3 min 12 s'],
    [240, '4 min'],
    [3840, '1 h 04 min'],
  ]);
});

test('what all titles begin with is said once', () => {
  assert.equal(
    joinTitles(['control path host', 'control path triggered by block', 'control path kernel']),
    'control path host, triggered by block and kernel',
  );
  assert.equal(
    joinTitles(['allreduce float32', 'broadcast float32']),
    'allreduce float32 and broadcast float32',
  );
  assert.equal(joinTitles(['device-put', 'device-put window 64']), 'device-put and device-put window 64');
});

test('a legend says what is emulated, and of a plugin only its name', () => {
  assert.equal(
    transportLabel({ name: 'sisci', medium: 'emulated', detail: { softwareCard: 'softntb', link: 'none' } }),
    'sisci (emulated, softntb link none)',
  );
  assert.equal(
    transportLabel({ name: 'socket', medium: 'hardware', detail: { networkInterface: 'lo' } }),
    'socket (TCP over lo)',
  );
  assert.equal(shortTransport('plugin:/opt/lib/libnccl-net-sisci.so.2'), 'plugin:sisci');
  assert.equal(shortTransport('plugin:/opt/a@1/libnccl-net-x.so@ring/LL128'), 'plugin:x@ring/LL128');
  assert.equal(shortTransport('plugin:/opt/aws-ofi/lib/libnccl-net.so.0@ring'), 'plugin:aws-ofi@ring');
  assert.equal(shortTransport('plugin:/usr/lib/x86_64-linux-gnu/libnccl-net.so'), 'plugin:libnccl-net');
});

test('a short name keeps what is fixed beside a transport, also where a path holds an @', () => {
  const path = 'plugin:/opt/a@1/libnccl-net-x.so';
  assert.equal(shortTransport(`${path}@copy:2`), 'plugin:x@copy:2');
  assert.equal(chosenText({ algorithm: 'Ring', protocol: 'LL' }), 'Ring/LL');
  assert.equal(chosenText({ algorithm: 'ring', protocol: null }), 'ring');
  assert.equal(chosenText({ algorithm: '', protocol: null }), '');
});

test('wrapped text keeps every word and no line exceeds the width unless one word does', () => {
  const text =
    'evidence: socket confirmed by the byte counters of lo and averyveryverylongwordthatcannotbebroken';
  const lines = wrap(text, 24, '  ');
  assert.equal(lines.map((l) => l.trim()).join(' '), text);
  assert.ok(lines.every((l) => l.length <= 24 || !l.trim().includes(' ')));
});

test('what all names end with is taken off only where each keeps words of its own', () => {
  const endOf = (names: string[]) => splitEnds(names).common;
  assert.deepEqual(splitEnds(['a b c', 'd c']), { common: 'c', rest: ['a b', 'd'] });
  assert.equal(endOf(['resnet50 image 224', 'mobilenet v3 large image 224']), 'image 224');
  assert.equal(endOf(['image 224', 'bf16 image 224']), '');
  assert.equal(endOf(['resnet50, batch 8', 'resnet50, batch 16']), '');
  assert.equal(endOf(['resnet50 image 224', 'resnet50 image 224']), '');
});
