import type { Log, Random } from '#kernel'
import { createChromium } from './chromium.ts'
import { type ChromiumSettings, findChromium } from './find-chromium.ts'
import { type Rendered, type RenderPage, type RunView, renderPage } from './render-page.ts'
import { createSlots } from './slots.ts'

interface Deps {
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly random: Random
  readonly chromium: ChromiumSettings
  /** Pages shown at once, for all runs of this thread together. */
  mostPages(): number
}

/** Shows pages in a browser, for runs with `crawl.render: browser` (scrapers contract §1). */
export function createRenderer({ log, random, chromium: settings, mostPages }: Deps) {
  const chromium = createChromium({ log, settings })
  const slots = createSlots(mostPages)
  return { findProblem, forRun, stop: chromium.stop }

  /** What the operator has to do before pages can be rendered, or null. */
  function findProblem(): string | null {
    const found = findChromium(settings)
    return 'problem' in found ? found.problem : null
  }

  function forRun(run: RunView): RenderPage {
    const key = {}
    return async (order) => {
      await slots.take(key, order.signal)
      try {
        return await chromium.use((browser) => renderPage(browser, run, order, random))
      } catch (error) {
        order.signal.throwIfAborted()
        log.warn({ err: error, url: order.url.href }, 'a page could not be rendered')
        return LOST
      } finally {
        slots.release()
      }
    }
  }
}

export type Renderer = ReturnType<typeof createRenderer>

/** It may have been the fault of another page. */
const LOST: Rendered = {
  ...{ kind: 'retry', code: 'browser_lost', pauseMs: 0 },
  message: 'The browser ended while it showed the page',
}
