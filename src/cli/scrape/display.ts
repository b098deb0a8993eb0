import type { Progress } from '#scrape'
import type { Output } from '../command.ts'

type Run = Progress['run']

/** Where nobody watches, a line now and then is enough. */
const PLAIN_EVERY_MS = 5_000
const MAX_COMPLAINTS = 50

/** How far a run is: one line that changes at a terminal, else plain lines; problems in any case. */
export function createDisplay({ err, progress }: Pick<Output, 'err' | 'progress'>) {
  let complaints = 0
  let isShown = false
  let plainAtMs = performance.now()
  return { follow, clear }

  /** Resolves with the run that is over. */
  async function follow(steps: AsyncIterable<Progress>): Promise<Run> {
    let last: Run | undefined
    for await (const { run, lines } of steps) {
      for (const line of lines) complain(line)
      last = run
      show(run)
    }
    clear()
    if (!last) throw new Error('the run was never seen')
    return last
  }

  function show(run: Run) {
    if (progress) {
      isShown = true
      return progress(countsOf(run))
    }
    const nowMs = performance.now()
    if (nowMs - plainAtMs < PLAIN_EVERY_MS) return
    plainAtMs = nowMs
    err(countsOf(run))
  }

  function complain({ level, url, message }: Progress['lines'][number]) {
    complaints++
    if (complaints > MAX_COMPLAINTS) return
    clear()
    err(`${level === 'error' ? 'failed' : 'warning'}: ${url === null ? '' : `${url}: `}${message}`)
    if (complaints === MAX_COMPLAINTS) err('Further problems are only counted.')
  }

  /** The line may stand on the terminal that something else is about to be written to. */
  function clear() {
    if (isShown) progress?.('')
    isShown = false
  }
}

function countsOf(run: Run): string {
  const failed = run.pagesFailed > 0 ? `, ${run.pagesFailed} failed` : ''
  return `${run.pagesFetched} pages, ${run.itemsCollected} items${failed}, ${run.pagesQueued} waiting`
}

const REASONS: Record<NonNullable<Run['finishReason']>, string> = {
  exhausted: 'nothing left to fetch',
  max_pages: 'as many pages as were asked for',
  max_items: 'as many items as were asked for',
  max_duration: 'the time was over',
  stopped: 'stopped',
  error: 'failed',
}

export function summaryOf(run: Run, path: string | null): string {
  const seconds = ((run.finishedAtMs ?? run.startedAtMs) - run.startedAtMs) / 1_000
  const failed = run.pagesFailed > 0 ? `, ${run.pagesFailed} failed` : ''
  const counts = `${run.pagesFetched} pages${failed}, ${run.itemsCollected} items`
  const where = path === null ? '' : ` in ${path}`
  const why = run.finishReason === null ? '' : ` (${REASONS[run.finishReason]})`
  return `${counts}${where}, ${seconds.toFixed(1)} s${why}`
}
