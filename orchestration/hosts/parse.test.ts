import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededUniform } from '../../results/testing/block.ts';
import { HostsError } from './error.ts';
import { hostText, parseHosts } from './parse.ts';

const names = (text: string) => parseHosts(text).map(({ name }) => name);
const refused = (text: string): HostsError => {
  try {
    parseHosts(text);
  } catch (error) {
    assert.ok(error instanceof HostsError, String(error));
    return error;
  }
  assert.fail(`${text} was understood`);
};

test('ranges keep their zeros, lists mix words and ranges, several brackets multiply in order', () => {
  for (const [text, wanted] of [
    ['gpu01', 'gpu01'],
    ['gpu[08-11]', 'gpu08 gpu09 gpu10 gpu11'],
    ['gpu[8-11]', 'gpu8 gpu9 gpu10 gpu11'],
    ['gpu[098-101]', 'gpu098 gpu099 gpu100 gpu101'],
    ['gpu[98-101]', 'gpu98 gpu99 gpu100 gpu101'],
    ['gpu[09-100]x', Array.from({ length: 92 }, (_, i) => `gpu${String(i + 9).padStart(2, '0')}x`).join(' ')],
    ['n[1,3,5-7]', 'n1 n3 n5 n6 n7'],
    ['node-[a,b,03-05]', 'node-a node-b node-03 node-04 node-05'],
    ['r[1-2]n[a,b]', 'r1na r1nb r2na r2nb'],
    ['10.0.0.[1-3]', '10.0.0.1 10.0.0.2 10.0.0.3'],
    ['b,a,c[2,1]', 'b a c2 c1'],
    ['größe-[1-2]', 'größe-1 größe-2'],
    ['[1-2]', '1 2'],
  ] as const) {
    assert.equal(names(text).join(' '), wanted, text);
  }
});

test('the line of the design: slots, a user with a port, an IPv6 address with its zone', () => {
  const hosts = parseHosts('gpu[01-02]:8,login@10.0.0.[1-2]:2222,[fe80::1%eth0]:2222,node-[a,03]');
  assert.deepEqual(hosts, [
    { name: 'gpu01', address: 'gpu01', user: null, port: null, slots: 8 },
    { name: 'gpu02', address: 'gpu02', user: null, port: null, slots: 8 },
    { name: '10.0.0.1', address: '10.0.0.1', user: 'login', port: 2222, slots: null },
    { name: '10.0.0.2', address: '10.0.0.2', user: 'login', port: 2222, slots: null },
    { name: '[fe80::1%eth0]', address: 'fe80::1%eth0', user: null, port: 2222, slots: null },
    { name: 'node-a', address: 'node-a', user: null, port: null, slots: null },
    { name: 'node-03', address: 'node-03', user: null, port: null, slots: null },
  ]);
});

test('a bare number up to 1024 means slots, above a port; two are port and slots; words say what they cannot', () => {
  for (const [suffix, port, slots] of [
    [':8', null, 8],
    [':1024', null, 1024],
    [':1025', 1025, null],
    [':2222', 2222, null],
    [':2222:8', 2222, 8],
    [':22:8', 22, 8],
    [':port=22', 22, null],
    [':slots=2000', null, 2000],
    [':slots=2:port=22', 22, 2],
    [':8:port=22', 22, 8],
    [':2222:slots=2000', 2222, 2000],
  ] as const) {
    for (const host of ['h', 'u@h', '[::1]', 'h[1-2]']) {
      const first = parseHosts(host + suffix)[0];
      assert.deepEqual([first?.port, first?.slots], [port, slots], host + suffix);
    }
  }
  assert.equal(parseHosts('u@x@h:iface=eth1.7')[0]?.iface, 'eth1.7');
  assert.equal(parseHosts('u@x@h')[0]?.user, 'u@x');
});

test('a host named twice has the slots of both; other ports make it other hosts with names of their own', () => {
  assert.deepEqual(
    parseHosts('a:2,b:1,A:3').map(({ name, slots }) => [name, slots]),
    [
      ['a', 5],
      ['b', 1],
    ],
  );
  assert.deepEqual(names('a:2222,b,a:2223,a:port=22'), ['a:2222', 'a:2223', 'a:22', 'b']);
  assert.deepEqual(names('[::1]:2222,[0:0::1]:2223'), ['[::1]:2222', '[0:0::1]:2223']);
  assert.equal(parseHosts('[::1]:2,[0::1]:3')[0]?.slots, 5);
  assert.deepEqual(names('[fe80::1%a],[fe80::1%b]'), ['[fe80::1%a]', '[fe80::1%b]'], 'other zones');
});

for (const [text, pattern] of [
  ['', /host is missing/],
  ['a,', /host is missing/],
  ['a,,b', /host is missing/],
  ['@a', /user name before @ is empty/],
  ['me@', /host behind @ is missing/],
  [':8', /host before the colon is missing/],
  ['gpu[1-', /\[ without its \]/],
  ['gpu1]', /\] without its \[/],
  ['gpu[]', /empty place/],
  ['gpu[1,]', /empty place/],
  ['gpu[[1-2]]', /brackets inside brackets/],
  ['gpu[8-1]', /range 8-1 runs backwards: write 1-8/],
  ['gpu[1-08]', /range 1-08 has unclear digits/],
  ['gpu[001-10]', /range 001-10 has unclear digits/],
  ['gpu[01-010]', /range 01-010 has unclear digits/],
  ['gpu[a-c]', /a-c in \[a-c\] is no range of numbers.*\[a,b,c\]/],
  ['gpu[1,1-3]', /names gpu1 twice/],
  ['a,a', /a is named twice.*slots/],
  ['a:8,a', /a is named twice.*slots/],
  ['a:2222,a', /with a port and once without/],
  ['me@a:8,you@a:8', /another user \(me; you\)/],
  ['a:8:iface=x,a:8', /another interface \(x; none said\)/],
  ['a:0', /:0 is neither slots nor a port/],
  ['a:70000', /:70000 is read as a port, like any number above 1024, and ports end at 65535; slots=70000/],
  ['a:8:slots=4', /:8 is read as slots.*slots=4 gives that again: write port=8/],
  ['a:2222:port=22', /:2222 is read as a port.*port=22 gives that again: write slots=2222/],
  ['a:22:8:port=22', /:22:8 is read as port and slots, but port= gives port again/],
  ['a:1:2:3', /three numbers.*host:port:slots/],
  ['a:slots=0', /slots=0: slots are a whole number from 1/],
  ['a:port=65536', /port=65536: a port is/],
  ['a:slots=2:slots=2', /slots is given twice/],
  ['a:x=2', /x=: unknown setting.*port=, slots=/],
  ['a:x', /:x behind a host is neither/],
  ['a:-8', /:-8 behind a host is neither/],
  ['fe80::1', /IPv6 address: write it in brackets, \[fe80::1\]/],
  ['[fe80::1', /not an IPv6 address in brackets/],
  ['[fe80::zz]', /not an IPv6 address in brackets/],
  ['[::1]x', /not an IPv6 address in brackets/],
  ['x[::1]', /the character : .* in a host name/],
  ['-oProxyCommand=x', /does not start with a dash/],
  ['me@-a', /does not start with a dash/],
  ['-me@a', /a user name does not start with a dash/],
  ['..', /does not start with a dot/],
  ['a b', /a b: a space \(U\+0020\) is not allowed in a host name/],
  ['a, b', /a space/],
  ["a'b", /a single quote \(U\+0027\)/],
  ['a"b', /a double quote/],
  ['a$b', /a dollar sign \(U\+0024\)/],
  ['$(id)', /a dollar sign/],
  ['a\\b', /a backslash/],
  ['a`id`', /a backtick/],
  ['a;b', /the character ; \(U\+003B\)/],
  ['a/b', /the character \//],
  ['a\nb', /a newline \(U\+000A\)/],
  ['a\u001bb', /a<U\+001B>b: the invisible character U\+001B/],
  ['a\u202eb', /invisible character U\+202E/],
  ['a\u00a0b', /invisible character U\+00A0/],
  ['a😀', /the character 😀 \(U\+1F600\)/],
  ['m e@a', /a space .* user name/],
  [`${'a'.repeat(254)}`, /longer than 253 characters/],
  ['[fe80::1%e$0]', /a dollar sign .* zone/],
  ['[fe80::1%]', /not an IPv6 address in brackets/],
  ['[fe80::1%a%b]', /the character % .* zone/],
] as const) {
  test(`refused: ${JSON.stringify(text.slice(0, 40))}`, () => {
    const { message } = refused(text);
    assert.match(message, pattern);
    assert.doesNotMatch(message, /[\p{Cc}\u202e]/u, 'nothing a terminal would act on');
  });
}

test('an error knows its place', () => {
  assert.equal(refused('a,gpu[1,8-1]').offset, 8);
  assert.equal(refused('a,me@b$').offset, 6);
  assert.equal(refused('a,b:8:x').offset, 6);
});

test('more than 4,096 hosts are refused before any is made', () => {
  assert.equal(parseHosts('a[1-4096]').length, 4096);
  assert.match(refused('a[1-4097]').message, /stands for 4,097 hosts, and a run has at most 4,096/);
  assert.match(refused('a[1-4096],b').message, /4,097 hosts/);
  assert.match(refused('a[0-999999999999999]').message, /over a billion/);
  assert.match(refused('a[1-9999999999999999999999]').message, /too many digits/);
  assert.match(refused('a[1-99][1-99][1-99][1-99][1-99]').message, /over a billion/);
  assert.match(refused(`a${'[1-999999999999999]'.repeat(1000)}`).message, /over a billion/);
  const places = Array.from({ length: 200_000 }, () => 'a:1').join(',');
  assert.match(refused(places).message, /4,097 hosts/);
});

test('what is written out again reads the same, for 500 drawn lists', () => {
  const uniform = seededUniform(7);
  const draw = (limit: number) => Math.floor(uniform() * limit);
  for (let i = 0; i < 500; i++) {
    const text = Array.from({ length: 1 + draw(4) }, (_, at) => {
      const user = draw(3) === 0 ? `u${draw(9)}@` : '';
      const from = draw(20);
      const host = draw(5) === 0 ? `[fd00::${at}:${draw(9)}]` : `h${at}-[${from}-${from + draw(9)},x]`;
      const suffix = ['', `:${1 + draw(3000)}`, `:${1 + draw(9000)}:${1 + draw(64)}`, ':slots=4000:iface=e0'];
      return user + host + suffix[draw(4)];
    }).join(',');
    const hosts = parseHosts(text);
    assert.deepEqual(parseHosts(hosts.map(hostText).join(',')), hosts, text);
    assert.equal(new Set(hosts.map(({ name }) => name)).size, hosts.length);
  }
});
