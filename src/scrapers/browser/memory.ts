import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import type { Log } from '#kernel'

const LOOK_EVERY_MS = 1_000
const MAX_RENDERER_BYTES = 1024 * 1024 * 1024
const PAGE_BYTES = 4_096

/** Ends processes of pages that take too much memory: what scripts build outside of their heap has no limit else. */
export async function watchMemory(browser: Browser, log: Pick<Log, 'warn'>): Promise<() => void> {
  const session = await browser.newBrowserCDPSession()
  const timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)

  async function look() {
    if (browser.contexts().length === 0) return
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    for (const { id, type } of processInfo) {
      const bytes = type === 'renderer' ? residentBytes(id) : 0
      if (bytes <= MAX_RENDERER_BYTES) continue
      log.warn({ bytes }, 'a rendered page took too much memory')
      process.kill(id, 'SIGKILL')
    }
  }
}

/** 0 where the system does not tell. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}
