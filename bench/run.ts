// npm run bench                         every area
// npm run bench -- proxy --seconds 10   one area, longer rounds
// npm run bench -- gateway --than ../old   beside the code of another checkout, in the same run
// npm run bench -- content --rows 'cms, page n'   only rows whose names match; --json file: the report there too
// npm run bench -- size --entries 100000 --types 300 --rows changes   other sizes than the area has by itself, a part of it
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench, Outcome } from './kit/bench.ts'
import { type Effort, runBench } from './kit/context.ts'
import { chooseTool } from './kit/load.ts'
import { renderOutcome, verdictOf } from './kit/report.ts'

const HERE = import.meta.dirname
const PROGRAMS = ['run.ts', 'install-peers.ts']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    than: { type: 'string' },
    rows: { type: 'string' },
    json: { type: 'string' },
    entries: { type: 'string' },
    types: { type: 'string' },
  },
})
const benches = await findBenches()
const chosen = positionals.length === 0 ? benches : benches.filter(isChosen)
if (chosen.length === 0) {
  console.error(`There is no area ${positionals.join(', ')}. Areas:`)
  for (const { name, summary } of benches) console.error(`  ${name}: ${summary}`)
  process.exit(2)
}

let failed = 0
for (const bench of chosen) {
  const effort = effortFor(bench)
  console.log(`\n${bench.name}: ${bench.summary}`)
  console.log(`  ${effort.tool}, median of ${effort.rounds} x ${effort.secondsPerRound} s\n`)
  try {
    const outcome = await runBench(bench, effort)
    console.log(renderOutcome(outcome))
    console.log(`\n  written to ${save(bench, effort, outcome)}`)
  } catch (error) {
    failed++
    console.error(`  not measured: ${error instanceof Error ? error.message : error}`)
  }
}
process.exit(failed === 0 ? 0 : 1)

function effortFor({ effort = { rounds: 3, secondsPerRound: 4 } }: Bench): Effort {
  return {
    tool: chooseTool(),
    rounds: Number(values.rounds ?? effort.rounds),
    secondsPerRound: Number(values.seconds ?? effort.secondsPerRound),
    than: values.than === undefined ? null : resolve(values.than),
    rows: values.rows === undefined ? null : new RegExp(values.rows),
    entries: values.entries === undefined ? null : Number(values.entries),
    types: values.types === undefined ? null : Number(values.types),
    say: (text) => process.stderr.write(`  ${text}\n`),
  }
}

function isChosen({ name }: Bench): boolean {
  return positionals.includes(name)
}

async function findBenches(): Promise<Bench[]> {
  const files = globSync('*.ts', { cwd: HERE }).filter((file) => !PROGRAMS.includes(file))
  return Promise.all(
    files.sort().map(async (file) => {
      const { default: bench }: { default: Bench } = await import(`./${file}`)
      if (bench.name !== basename(file, '.ts'))
        throw new Error(`${file} calls itself ${bench.name}`)
      return bench
    }),
  )
}

function save({ name }: Bench, effort: Effort, outcome: Outcome): string {
  const now = new Date().toISOString()
  const { tool, rounds, secondsPerRound } = effort
  const machine = {
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryMb: Math.round(totalmem() / 1e6),
  }
  const figures = outcome.figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) }))
  const report = {
    name,
    now,
    machine,
    load: { tool, rounds, secondsPerRound },
    ...outcome,
    figures,
  }
  const directory = join(HERE, 'results')
  mkdirSync(directory, { recursive: true })
  const file = `${now.replaceAll(/[:.]/g, '-')}-${name}.json`
  const text = `${JSON.stringify(report, null, 2)}\n`
  writeFileSync(join(directory, file), text)
  if (values.json !== undefined) writeFileSync(values.json, text)
  return join('bench', 'results', file)
}
