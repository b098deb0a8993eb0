import { readFile } from 'node:fs/promises'
import { isObject } from '#kernel'
import type { Command, Input } from '../command.ts'
import type { Target } from '../scrape/target.ts'
import { unreadable } from '../unreadable.ts'
import { UsageError } from '../usage-error.ts'

const MAX_PAGES = 1_000_000
const MAX_NAME = 200

export const scrape: Command = {
  name: 'scrape',
  summary: 'collect the pages of a site into a file, without a server',
  arguments: ['url'],
  options: {
    config: {
      type: 'string',
      value: '<file>',
      summary: 'what to follow and extract: JSON as POST /api/v1/scrapers takes it',
    },
    out: {
      type: 'string',
      value: '<file>',
      summary: 'where items go, by its ending .ndjson or .csv; else NDJSON to standard output',
    },
    pages: { type: 'string', value: '<n>', summary: 'pages at most (100, or as the file says)' },
  },
  details: [
    'Runs as a scraper of a server does, with the same rules of politeness and the same results, on',
    'a database that is removed afterwards. The address given here comes before the one in the file;',
    'schedule, proxy_pool and output need a server and are refused. How far it is stands on standard',
    'error. Ctrl-C ends the run and keeps what was collected; a second one ends at once. The file of',
    '--out appears when it is whole: until then, and when nothing was collected because the run',
    'failed, a file of this name stays as it was.',
    '',
    'Sites on this machine are allowed unless ENTREPOT_ENV is production; other internal networks',
    'are opened by ENTREPOT_SCRAPERS_ALLOW_NETS. The settings file is ./entrepot.config.json.',
    'Exit codes: 0 done, 1 failed, 2 wrongly called, 130 ended by Ctrl-C.',
  ].join('\n'),
  async run(input, { operations, loadConfig, ...output }) {
    const target = parseTarget(input.text('out'))
    const definition = await readDefinition(input)
    const config = await loadConfig()
    const { runScrape } = await import('../scrape/run.ts')
    return runScrape(() => operations.scrape(config, definition), target, output)
  },
}

function parseTarget(path: string | undefined): Target {
  if (path === undefined) return { format: 'ndjson', path: null }
  const ending = /\.(ndjson|jsonl|csv)$/i.exec(path)?.[1]?.toLowerCase()
  if (ending === undefined) {
    throw new UsageError(`--out ${path} must end in .ndjson or .csv, which says the format`)
  }
  return { format: ending === 'csv' ? 'csv' : 'ndjson', path }
}

async function readDefinition(input: Input): Promise<Readonly<Record<string, unknown>>> {
  const url = input.argument('url')
  const pages = parsePages(input.text('pages'))
  const file = input.text('config')
  const given = file === undefined ? {} : await readObject(file)
  const { crawl } = given
  const isLimited = pages !== undefined && (crawl === undefined || isObject(crawl))
  return {
    name: url.trim().slice(0, MAX_NAME),
    ...given,
    url,
    ...(isLimited ? { crawl: { ...crawl, max_pages: pages } } : {}),
  }
}

function parsePages(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const pages = /^\d+$/.test(text) ? Number(text) : 0
  if (pages < 1 || pages > MAX_PAGES) {
    throw new UsageError(`--pages must be a whole number from 1 to ${MAX_PAGES}`)
  }
  return pages
}

async function readObject(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw unreadable(path, error)
  })
  try {
    const parsed: unknown = JSON.parse(text)
    if (isObject(parsed)) return parsed
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  throw new UsageError(`${path} must hold a JSON object, as POST /api/v1/scrapers takes it`)
}
