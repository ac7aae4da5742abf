import assert from 'node:assert/strict';
import test from 'node:test';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { escapeMarkdown, escapeMarkup, escapeXml } from './markup-text.ts';

const hostile =
  'a]]>b\u0000\u001b[31m"\'<x>&amp;|\\\nline\r\ud800 `$(id)` é日本 \u202e https://x.example @all *b* #1';

test('text in HTML neither opens an element nor ends an attribute', () => {
  assert.equal(escapeMarkup(`<a b="c" d='e'>&`), '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
  assert.equal(escapeMarkup('nothing to do'), 'nothing to do');
});

test('text in XML comes back as it was, without what XML cannot hold', () => {
  const document = `<a b="${escapeXml(hostile)}">${escapeXml(hostile)}</a>`;
  assert.equal(XMLValidator.validate(document), true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    htmlEntities: true,
    trimValues: false,
  });
  const { a } = parser.parse(document) as { a: { '#text': string; b: string } };
  const held = hostile.replace('\u0000', '\ufffd').replace('\u001b', '\ufffd').replace('\ud800', '\ufffd');
  assert.equal(a['#text'], held);
  assert.equal(a.b, held);
});

test('text in Markdown is one line without markup, links, names or controls', () => {
  const text = escapeMarkdown(hostile);
  assert.doesNotMatch(text.replaceAll(/&#\d+;/g, ''), /[\p{Cc}\p{Cf}\\`*_{}[\]<>#|~&@]|:\/\//u);
  assert.equal(escapeMarkdown('a|b'), 'a&#124;b');
  assert.equal(escapeMarkdown('see www.x.example'), 'see www&#46;x.example');
});

test('text at the start of a Markdown line begins no list and underlines nothing', () => {
  assert.equal(escapeMarkdown('- one'), '&#45; one');
  assert.equal(escapeMarkdown('1. one'), '1&#46; one');
  assert.equal(escapeMarkdown('2) one'), '2&#41; one');
  assert.equal(escapeMarkdown('==='), '&#61;==');
  assert.equal(escapeMarkdown('-5 % in 1.5 us, 2'), '-5 % in 1.5 us, 2');
});
