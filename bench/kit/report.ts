import type { Figure, Outcome } from './bench.ts'

export type Verdict = 'pass' | 'short' | 'shown'

export function verdictOf({ value, must }: Figure): Verdict {
  if (!must) return 'shown'
  return ('atLeast' in must ? value >= must.atLeast : value <= must.atMost) ? 'pass' : 'short'
}

/** Two tables: what was measured, and what follows from it beside what it must reach. */
export function renderOutcome({ speeds, matrix, figures }: Outcome): string {
  const measured = speeds.map(({ what, perSecond, p50Ms, p99Ms }) => [
    what,
    Math.round(perSecond).toLocaleString('en'),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ])
  const claims = figures.map((figure) => [
    figure.what,
    renderValue(figure.value, figure.unit),
    renderMust(figure),
    verdictOf(figure),
  ])
  const table = matrix
    ? [matrix.head, ...matrix.lines]
    : [['', 'requests/s', 'p50 ms', 'p99 ms'], ...measured]
  const notes = matrix?.notes.map((note) => `  ${note}`).join('\n') ?? ''
  return [toTable(table), notes, toTable([['', 'figure', 'must reach', ''], ...claims])]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Nothing when there is no more than the head. */
function toTable(rows: readonly (readonly string[])[]): string {
  return rows.length > 1 ? renderTable(rows) : ''
}

function renderMust({ must, unit }: Figure): string {
  if (!must) return '-'
  if ('atLeast' in must) {
    const aim = must.aim === undefined ? '' : `, aim ${renderValue(must.aim, unit)}`
    return `>= ${renderValue(must.atLeast, unit)}${aim}`
  }
  return `<= ${renderValue(must.atMost, unit)}`
}

function renderValue(value: number, unit: Figure['unit']): string {
  return `${unit === 'MB' ? Math.round(value) : value.toFixed(2)} ${unit}`.trimEnd()
}

/** The first column to the left, figures to the right. */
function renderTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      return `  ${cells.join('   ')}`.trimEnd()
    })
    .join('\n')
}
