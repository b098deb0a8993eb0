import { DomainError } from '#kernel'
import type { Scrape } from '#scrape'
import type { Output, Terminal } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { createDisplay, summaryOf } from './display.ts'
import { createInterrupt } from './interrupt.ts'
import { openTarget, type Target } from './target.ts'

type Run = Awaited<ReturnType<ReturnType<typeof createDisplay>['follow']>>

/** Carries out one run and returns the exit code. */
export async function runScrape(
  start: () => Promise<Scrape>,
  target: Target,
  output: Terminal,
): Promise<number> {
  const interrupt = createInterrupt(output)
  const display = createDisplay(output)
  const results = await openTarget(target, { write: output.write, beforeWrite: display.clear })
  const scrape = await start().catch(async (error) => {
    await results.discard()
    throw toUsage(error)
  })
  try {
    interrupt.onFirst(() => scrape.stop().catch(passOverEnded))
    const watching = display.follow(scrape.progress())
    const [run] = await Promise.all([watching, results.take(scrape, watching)])
    const isKept = run.status !== 'failed' || run.itemsCollected > 0
    if (isKept) await results.keep()
    output.err(summaryOf(run, isKept ? target.path : null))
    return run.error ? tellFailure(run.error, output) : interrupt.exitCode()
  } finally {
    await results.discard()
    await scrape.close()
    interrupt.end()
  }
}

/** What is wrong with the definition is a matter of how the command was called. */
function toUsage(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error
  const lines = error.issues.map(({ message }) => `  ${message}`)
  const next = NEXT.get(error.code)
  return new UsageError(
    ['this scraper cannot be run:', ...lines, ...(next === undefined ? [] : [next])].join('\n'),
  )
}

function passOverEnded(error: unknown) {
  if (!(error instanceof DomainError)) throw error
}

const NEXT = new Map([
  ['address_not_allowed', 'ENTREPOT_SCRAPERS_ALLOW_NETS opens internal networks, as CIDR.'],
  [
    'robots_disallowed',
    'Ask the owner of the site; for a site of your own say "crawl": {"robots": "ignore"} in --config.',
  ],
  ['start_url_failed', 'Look whether the address is right and answers, for instance in a browser.'],
  ['internal_error', 'Try again; if it fails again, report it.'],
])

function tellFailure({ code, message }: NonNullable<Run['error']>, { err }: Output): number {
  err(`entrepot: ${message}. ${NEXT.get(code) ?? ''}`.trimEnd())
  return 1
}
