import type { Figure, Matrix, Speed } from './bench.ts'
import { median } from './compare.ts'
import {
  ASKERS,
  type Asker,
  type Group,
  MODES,
  type Mode,
  type Row,
  WRITES_PER_SECOND,
} from './content-rows.ts'
import type { Measured } from './load.ts'
import { DIALECTS, type Dialect } from './questions.ts'

/** READS, "How we will see it". */
const FIRST = { atLeast: 0.1, aim: 0.15 }
const WRITTEN = { atLeast: 0.08 }
const REPEATED = { atLeast: 0.7 }
const REPEATED_OTHERS = { atLeast: 0.5 }
const STRAPI = { atLeast: 30 }
const EVEN = { atLeast: 0.5 }

/** What every row did in every round. */
export function createResults() {
  const all = new Map<string, Measured[]>()
  const writesPerSecond: number[] = []
  return { add, speeds, ratio, perSecond, writesPerSecond, compiled: Number.NaN }

  function add(name: string, measured: Measured) {
    const known = all.get(name)
    if (known) known.push(measured)
    else all.set(name, [measured])
  }

  function perSecond(name: string): number {
    return middle((all.get(name) ?? []).map((measured) => measured.perSecond))
  }

  /** The median of the rounds' ratios; not a number where one of the two was not measured. */
  function ratio(name: string, against: string): number {
    const others = all.get(against) ?? []
    const own = all.get(name) ?? []
    return middle(own.map((each, at) => each.perSecond / (others[at]?.perSecond ?? Number.NaN)))
  }

  function speeds(): Speed[] {
    return [...all].map(([what, measured]) => ({
      what,
      perSecond: perSecond(what),
      p50Ms: middle(measured.map(({ p50Ms }) => p50Ms)),
      p99Ms: middle(measured.map(({ p99Ms }) => p99Ms)),
    }))
  }
}

export type Results = ReturnType<typeof createResults>

/** Of the rounds in which it was measured. */
function middle(values: readonly number[]): number {
  return median(values.filter((value) => !Number.isNaN(value)))
}

function limitOf({ mode, asker }: Row): { readonly atLeast: number } {
  if (mode === 'first') return FIRST
  if (mode === 'written') return WRITTEN
  return asker === 'anonymous' ? REPEATED : REPEATED_OTHERS
}

/** A line for each group, a column for each asker without and with writes: times bare Fastify. */
export function matrixOf(groups: readonly Group[], results: Results): Matrix {
  const columns = MODES.filter((mode) => mode !== 'repeated').flatMap((mode) =>
    ASKERS.map((asker) => ({ mode, asker })),
  )
  const lines = groups.flatMap((group) => {
    const { name, dialect } = group
    const strapi =
      dialect === 'cms' ? cell(results.ratio(anyFirst(group), `Strapi, ${name}`), 0) : ''
    const bare = Math.round(results.perSecond(`bare, ${name}`)).toLocaleString('en')
    const own = columns.map((column) => shown(group, column.mode, column.asker))
    const again = ASKERS.map((asker) => shown(group, 'repeated', asker))
    const line = [name, bare, ...own, strapi]
    return again.some((text) => text !== '')
      ? [line, [`${name}, repeated`, bare, ...again]]
      : [line]
  })
  const head = ['x bare Fastify', 'bare/s', ...columns.map(columnTitle), 'x Strapi']
  const notes = [
    '* below what it must reach. With writes: 20 a second to the same type. Proxy: forwarding headers without a key, on api/v1 with one.',
    'text search is shown and not counted until a run has shown what it reaches with its index.',
  ]
  return { head, lines, notes }

  function shown({ name, rows }: Group, mode: Mode, asker: Asker): string {
    const row = rows.find((each) => each.mode === mode && each.asker === asker)
    if (!row) return ''
    const value = results.ratio(row.name, `bare, ${name}`)
    return `${cell(value, 3)}${row.counts && !(value >= limitOf(row).atLeast) ? '*' : ''}`
  }

  function columnTitle({ mode, asker }: { mode: Mode; asker: Asker }): string {
    return mode === 'first' ? asker : `${asker} +w`
  }
}

function cell(value: number, digits: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(digits)
}

function anyFirst({ rows }: Group): string {
  return rows.find(({ mode }) => mode === 'first')?.name ?? ''
}

interface Figured {
  readonly row: Row
  readonly group: Group
  readonly value: number
}

/** The slowest row is the figure that counts. */
export function figuresOf(groups: readonly Group[], results: Results): Figure[] {
  const counted = groups.flatMap((group) =>
    group.rows
      .filter(({ counts }) => counts)
      .map((row) => ({ row, group, value: results.ratio(row.name, `bare, ${group.name}`) })),
  )
  const of = (mode: Mode, asker?: Asker) =>
    counted.filter(({ row }) => row.mode === mode && (!asker || row.asker === asker))
  const metered = of('repeated').filter(({ row }) => row.asker !== 'anonymous')
  const besideStrapi = of('first').map((each) => ({
    ...each,
    value: results.ratio(each.row.name, `Strapi, ${each.group.name}`),
  }))
  return [
    ...slowest('slowest first read', of('first'), FIRST),
    ...slowest(`slowest with ${WRITES_PER_SECOND} writes/s`, of('written'), WRITTEN),
    ...slowest('slowest repeated, anonymous', of('repeated', 'anonymous'), REPEATED),
    ...slowest('slowest repeated, key or proxy', metered, REPEATED_OTHERS),
    ...slowest('least beside Strapi', besideStrapi, STRAPI),
    ...DIALECTS.flatMap((dialect) => evenness(dialect, of('first'))),
    ...slowest('least beside the other checkout', besideOther(counted, results)),
    {
      what: 'plans compiled after warming up',
      value: results.compiled,
      unit: '',
      must: { atMost: 0 },
    },
    ...writesDone(results),
    ...notMeasured(counted),
  ]
}

function slowest(
  what: string,
  figured: readonly Figured[],
  limit?: { readonly atLeast: number; readonly aim?: number },
): Figure[] {
  const [least] = figured
    .filter(({ value }) => !Number.isNaN(value))
    .toSorted((a, b) => a.value - b.value)
  if (!least) return []
  const { value, row } = least
  if (!limit) return [{ what: `${what}: ${row.name}`, value, unit: 'x' }]
  const { aim, atLeast } = limit
  const must = { atLeast, ...(aim === undefined ? {} : { aim }) }
  return [{ what: `${what}: ${row.name}`, value, unit: 'x', must }]
}

/** No kind of question is much slower than another of the same dialect. */
function evenness(dialect: Dialect, figured: readonly Figured[]): Figure[] {
  const values = figured
    .filter(({ row, value }) => row.dialect === dialect && !Number.isNaN(value))
    .map(({ value }) => value)
  if (values.length < 2) return []
  const value = Math.min(...values) / Math.max(...values)
  return [{ what: `${dialect}, slowest first read / fastest`, value, unit: 'x', must: EVEN }]
}

function besideOther(counted: readonly Figured[], results: Results): Figured[] {
  return counted.map((each) => ({
    ...each,
    value: results.ratio(each.row.name, `${each.row.name}, other checkout`),
  }))
}

function writesDone({ writesPerSecond }: Results): Figure[] {
  if (writesPerSecond.length === 0) return []
  return [{ what: 'writes done a second, least', value: Math.min(...writesPerSecond), unit: '' }]
}

function notMeasured(counted: readonly Figured[]): Figure[] {
  const value = counted.filter((each) => Number.isNaN(each.value)).length
  if (value === 0) return []
  return [{ what: 'rows that failed', value, unit: '', must: { atMost: 0 } }]
}
