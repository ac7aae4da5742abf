import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applySettings, differencesOf, readSettings, type SettingValues } from './settings.ts';

const read = (text: string, isYaml = false) => readSettings(text, isYaml) as SettingValues;

test('the good end with some differences applied: variables set, removed, and options as words', () => {
  const good = read('algo: ring\nNCCL_BUFFSIZE: 4194304\nNCCL_P2P_DISABLE: 1\n', true);
  const bad = read('algo: tree\nNCCL_BUFFSIZE: 1048576\nNCCL_MIN_CTAS: 4\n', true);
  const differences = differencesOf(good, bad);
  assert.deepEqual(
    differences.map(({ name }) => name),
    ['NCCL_BUFFSIZE', 'NCCL_MIN_CTAS', 'NCCL_P2P_DISABLE', 'algo'],
  );
  assert.deepEqual(applySettings(good, differences, new Set()), {
    words: ['--algo=ring'],
    environment: { NCCL_BUFFSIZE: '4194304', NCCL_P2P_DISABLE: '1' },
    unset: ['NCCL_MIN_CTAS'],
  });
  assert.deepEqual(applySettings(good, differences, new Set([2, 3, 4])), {
    words: ['--algo=tree'],
    environment: { NCCL_BUFFSIZE: '4194304', NCCL_MIN_CTAS: '4' },
    unset: ['NCCL_P2P_DISABLE'],
  });
});

test('a file that is neither lines of an environment nor a YAML map is refused with the place', () => {
  assert.deepEqual(readSettings('A=1\nhello\n', false), { problem: 'line 2 is not NAME=VALUE' });
  assert.deepEqual(readSettings('- a\n- b\n', true), { problem: 'it is not a map of names to values' });
  assert.deepEqual(readSettings('algo: [a, b]\n', true), { problem: 'algo has no single value' });
});

test('lines of an environment are variables, whatever their names; functions that bash exports are passed over', () => {
  const good = 'OMPI_MCA_btl=tcp\nhttp_proxy=a\ncontainer=oci\n';
  const bad =
    'BASH_FUNC_module%%=() {  eval `/usr/bin/modulecmd bash "$@"`\n}\nOMPI_MCA_btl=sm\nhttp_proxy=b\ncontainer=oci\n';
  const differences = differencesOf(read(good), read(bad));
  assert.deepEqual(applySettings(read(good), differences, new Set([1])), {
    words: [],
    environment: { OMPI_MCA_btl: 'sm', http_proxy: 'a', container: 'oci' },
    unset: [],
  });
});
