import assert from 'node:assert/strict'

export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Growing {
  type: string
  help: string
  samples: Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const COMMENT = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)(?: (-?\\d+))?$`)
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/
const VALUE = /^([+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?Inf|NaN)$/i
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped']

/**
 * Reads the text format 0.0.4 of Prometheus as strictly as its documentation says, stricter than a scraper: every line
 * is one of it, a family comes in one piece with HELP and TYPE before its samples, no series comes twice, and
 * buckets of histograms add up.
 */
export function parseExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends')
  const families = new Map<string, Growing>()
  const series = new Set<string>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, commented, rest = ''] = COMMENT.exec(line) ?? []
    if (commented !== undefined) {
      if (commented !== current) begin(commented)
      describe(commented, word, rest)
    } else if (!line.startsWith('#') && line !== '') add(line)
  }
  for (const [name, { type, samples }] of families) {
    assert.ok(TYPES.includes(type), `${name} has no TYPE`)
    if (type === 'histogram') checkBuckets(name, samples)
  }
  return families

  function begin(name: string) {
    assert.ok(!families.has(name), `${name} comes in two pieces`)
    families.set(name, { type: '', help: '', samples: [] })
    current = name
  }

  function describe(name: string, word: string | undefined, rest: string) {
    const family = families.get(name)
    assert.ok(family)
    assert.equal(family.samples.length, 0, `${name}: ${word} comes after its samples`)
    const member = word === 'HELP' ? 'help' : 'type'
    assert.equal(family[member], '', `${name} has ${word} twice`)
    family[member] = rest
  }

  function add(line: string) {
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    assert.ok(name !== '' && VALUE.test(value), `no sample: ${line}`)
    const family = families.get(current)
    assert.ok(family && isOf(current, family.type, name), `${line}: stands below ${current}`)
    const sample = { name, labels: parseLabels(labels, line), value: toNumber(value) }
    const id = JSON.stringify([name, Object.entries(sample.labels).sort()])
    assert.ok(!series.has(id), `comes twice: ${line}`)
    series.add(id)
    family.samples.push(sample)
  }
}

function isOf(family: string, type: string, name: string): boolean {
  if (name === family) return type !== 'histogram'
  const ending = name.startsWith(family) ? name.slice(family.length) : ''
  if (type === 'histogram') return ['_bucket', '_sum', '_count'].includes(ending)
  return type === 'summary' && ['_sum', '_count'].includes(ending)
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== ''; ) {
    const [whole, name = '', value = ''] = LABEL.exec(rest) ?? []
    assert.ok(whole !== undefined, `no labels: ${line}`)
    assert.ok(!(name in labels), `${name} twice: ${line}`)
    labels[name] = value
    rest = rest.slice(whole.length)
  }
  return labels
}

function toNumber(text: string): number {
  return Number(text.replace(/Inf$/i, 'Infinity'))
}

/** Of each series: bounds and counts grow, and the last bucket has all of them. */
function checkBuckets(name: string, samples: readonly Sample[]) {
  const keyOf = ({ labels: { le: _, ...labels } }: Sample) =>
    JSON.stringify(Object.entries(labels).sort())
  for (const [key, own] of Map.groupBy(samples, keyOf)) {
    const buckets = own.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => toNumber(labels['le'] ?? 'NaN'))
    const counts = buckets.map(({ value }) => value)
    const isGrowing = (list: readonly number[]) =>
      list.every((value, at) => at === 0 || value >= (list[at - 1] ?? 0))
    assert.ok(isGrowing(bounds) && isGrowing(counts), `${name} ${key}: buckets out of order`)
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name} ${key} has no last bucket`)
    const count = own.find((each) => each.name === `${name}_count`)
    assert.equal(counts.at(-1), count?.value, `${name} ${key}: count`)
    assert.ok(
      own.some((each) => each.name === `${name}_sum`),
      `${name} ${key} has no sum`,
    )
  }
}
