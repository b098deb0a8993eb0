import { execFileSync } from 'node:child_process'
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { needPrograms } from './packages.ts'

/** Chromium without windows: beside the whole browser it takes a sixth less of the processor for the console. */
const CHROMIUM = 'chromium-headless-shell'

/** A real Chromium that asks nobody but the pages it is shown; closed when the test file ends. */
export async function startBrowser(): Promise<Browser> {
  needPrograms(CHROMIUM)
  // Few tests need it, and it is large.
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({
    executablePath: execFileSync('which', [CHROMIUM], { encoding: 'utf8' }).trim(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  after(() => browser.close())
  return browser
}
