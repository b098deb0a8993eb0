import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse as parseAnyVersion } from 'yaml'
import { parseYaml, renderYaml, YamlFault } from './index.ts'

const LIMITS = { maxDepth: 64, maxValues: 100_000 }
const read = (text: string) => parseYaml(text, LIMITS).value

test('YAML: what JSON can say, in either spelling', () => {
  assert.deepEqual(read('a: 1\nb: [x, "y", null, true, 1.5]\nc:\n  d: |\n    one\n    two\n'), {
    a: 1,
    b: ['x', 'y', null, true, 1.5],
    c: { d: 'one\ntwo\n' },
  })
  assert.deepEqual(read('{"a": {"b": [1, {}]}}'), { a: { b: [1, {}] } })
  assert.deepEqual(read('80: 1\ntrue: 2\nnull: 3\n1.50: 4'), { 80: 1, true: 2, null: 3, '1.50': 4 })
  assert.deepEqual(read('a: yes\nb: 010\nc: 2026-01-01\nd: 12:30'), {
    ...{ a: 'yes', b: 10, c: '2026-01-01', d: '12:30' },
  })
  assert.equal(read(''), null)
  assert.equal(read('\uFEFF# nothing\n#END\n'), null)
})

test('YAML: aliases stand for what they name', () => {
  assert.deepEqual(read('a: &x {p: 1}\nb: *x\nc: &x 2\nd: *x'), {
    a: { p: 1 },
    b: { p: 1 },
    c: 2,
    d: 2,
  })
})

const REFUSED: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  'a tag': ['a:\n  b: !!binary aGk=', /^tags are not possible \(line 2, column 6\)$/],
  'a tag of its own': ['- !js/function x', /^tags .+ \(line 1, column 3\)$/],
  'a directive': ['%YAML 1.1\n---\na: yes', /^directives .+ \(line 1, column 1\)$/],
  'a merge key': ['a: &x {p: 1}\nb:\n  <<: *x', /^merge keys .+ \(line 3, column 3\)$/],
  'a name given twice': [
    'a: 1\n b: 2\na: 3'.replace(' b', 'b'),
    /given twice \(line 3, column 1\)$/,
  ],
  'a name given twice in two spellings': ['1: a\n"1": b', /given twice \(line 2, column 1\)$/],
  ['__proto__']: ['a: {__proto__: {b: 1}}', /^__proto__ is not a name \(line 1, column 5\)$/],
  'a list as name': ['? [a]\n: 1', /plain text \(line 1, column 3\)$/],
  'an alias of nothing': ['a: *x', /no anchor x .+ \(line 1, column 4\)$/],
  'an alias of itself': ['a: &x\n  b: *x', /inside what it names \(line 2, column 6\)$/],
  'two documents': ['a: 1\n---\nb: 2', /only one document/],
  infinity: ['a: .inf', /^infinity .+ \(line 1, column 4\)$/],
  'a broken text': ['a: "x', /line 1, column/],
  'a broken list': ['a: [1, 2\nb: 3', /line 2, column/],
  'tabs as indentation': ['a:\n\tb: 1', /line 2, column/],
}

for (const [name, [text, message]] of Object.entries(REFUSED)) {
  test(`YAML: ${name} is refused with its place`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof YamlFault && message.test(error.message),
    )
  })
}

const SIZE = 90_000
/** Processor time for each character is what counts: a busy machine takes longer. */
const MOST_MS = 2_000
const BOMB = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
for (let n = 1; n < 12; n++) {
  BOMB.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(', ')}]`)
}
const HOSTILE: Readonly<Record<string, string>> = {
  'aliases of aliases': BOMB.join('\n'),
  'one text named again and again': `a: &x ${'y'.repeat(SIZE / 2)}\nb: [${'*x,'.repeat(SIZE / 3)}]`,
  'lists without end': '['.repeat(SIZE),
  'maps without end': '{a: '.repeat(SIZE / 4),
  'items of items': '- '.repeat(SIZE / 2),
  'names of names': '? '.repeat(SIZE / 2),
  'indentation without end': Array.from({ length: 900 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
  'anchors without end': '&a '.repeat(SIZE / 3),
  'quotes without end': `"${'\\"'.repeat(SIZE / 2)}`,
  commas: `[${','.repeat(SIZE)}]`,
  'empty lines': '\n'.repeat(SIZE),
  comments: '#\n'.repeat(SIZE / 2),
  spaces: ' '.repeat(SIZE),
  colons: ': '.repeat(SIZE / 2),
  'short items': '- 1\n'.repeat(SIZE / 4),
  'short names': Array.from({ length: SIZE / 10 }, (_, n) => `n${n}: 1`).join('\n'),
  'lines of a text': `a: |\n${' x\n'.repeat(SIZE / 3)}`,
  'lines of a plain text': `a: x\n${'  x\n'.repeat(SIZE / 4)}`,
}

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`YAML: ${name}: bounded in time, refused or read`, (t) => {
    const before = process.cpuUsage()
    try {
      read(text)
    } catch (error) {
      assert.ok(error instanceof YamlFault, String(error))
      assert.match(error.message, /\(line \d+, column \d+\)$/)
      assert.ok(error.message.length < 300)
    }
    const { user, system } = process.cpuUsage(before)
    const tookMs = (user + system) / 1_000
    t.diagnostic(`${Math.round(tookMs)} ms`)
    assert.ok(tookMs < MOST_MS, `${tookMs} ms`)
  })
}

test('YAML: members are found again in the text', () => {
  const { placeOf } = parseYaml('routes:\n  - id: a\n    plugins:\n      x: {}\n  - b\n', LIMITS)
  assert.deepEqual(placeOf(['routes', 0, 'plugins', 'x']), { line: 4, column: 7 })
  assert.deepEqual(placeOf(['routes', 1]), { line: 5, column: 5 })
  assert.deepEqual(placeOf(['routes', 0, 'absent', 'y']), { line: 2, column: 5 })
})

test('YAML: what is written is read back, by readers of 1.1 too', () => {
  const texts = [
    ...[
      '',
      ' ',
      'yes',
      'No',
      'on',
      'null',
      '~',
      '1',
      '1e3',
      '0o7',
      '010',
      '12:30:45',
      '.inf',
      '0x1F',
    ],
    ...[
      '2026-01-01',
      '<<',
      '=',
      '- a',
      '# a',
      'a: b',
      'a #b',
      '*a',
      '&a',
      '!a',
      '%a',
      '@a',
      '`a',
      '[a',
    ],
    ...[
      'a\nb',
      'a\n',
      '\na',
      'a\n\nb\n\n',
      ' a\nb',
      'a \nb',
      'a\tb\nc',
      'a\r\nb',
      '\u0000\u001f',
      'é\nü',
    ],
    ...[
      'x'.repeat(500),
      'a b '.repeat(100),
      '"',
      "'",
      '\\',
      '\\n',
      '127.0.0.1:80',
      '$env://A',
      '#END',
    ],
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  ]
  const value = {
    ...{ texts, numbers: [0, -1, 1.5, 1e21], flags: [true, false, null], empty: [{}, []] },
    names: Object.fromEntries(texts.filter((text) => text !== '<<').map((text) => [text, text])),
  }
  const text = renderYaml(value)
  assert.deepEqual(read(text), value)
  for (const version of ['1.1', '1.2'] as const) {
    assert.deepEqual(parseAnyVersion(text, { version, merge: false }), value, version)
  }
  assert.match(text, /- \|\n {4}-----BEGIN CERTIFICATE-----\n {4}AAAA\n/)
})
