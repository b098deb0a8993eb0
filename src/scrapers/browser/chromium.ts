import type { Browser } from 'playwright-core'
import type { Log } from '#kernel'
import { type ChromiumSettings, findChromium } from './find-chromium.ts'
import { watchMemory } from './memory.ts'
import { createProfile, removeProfile } from './profile.ts'

interface Deps {
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly settings: ChromiumSettings
}

const IDLE_MS = 30_000
/** A second where cores are free; where they are not, the browser waits for its turn like the crawl. */
const START_MS = 60_000
const CLOSE_MS = 5_000
const MAX_HEAP_MB = 512

/** One Chromium for all who ask: started with the first page, ended when nobody has needed it for a while. */
export function createChromium({ log, settings }: Deps) {
  let running: Promise<Browser> | undefined
  let users = 0
  let idle: NodeJS.Timeout | undefined
  return { use, stop }

  async function use<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
    clearTimeout(idle)
    users++
    try {
      running ??= start()
      return await work(await running)
    } finally {
      users--
      if (users === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref()
    }
  }

  function start(): Promise<Browser> {
    const started = launch()
    const forget = () => {
      if (running === started) running = undefined
    }
    started.then((browser) => browser.once('disconnected', forget), forget)
    return started
  }

  async function launch(): Promise<Browser> {
    const found = findChromium(settings)
    if ('problem' in found) throw new Error(found.problem)
    const { command, args, owner } = found
    const profile = await createProfile(owner)
    // Large, and most servers render nothing.
    const { chromium } = await import('playwright-core')
    const startedMs = performance.now()
    try {
      const browser = await chromium.launch({
        ...{ executablePath: command, ignoreDefaultArgs: true, timeout: START_MS },
        args: [...args, ...SWITCHES, `--user-data-dir=${profile}`],
        env: { PATH: '/usr/bin:/bin', HOME: profile, TMPDIR: profile, LANG: 'C.UTF-8' },
        ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
      })
      const stopWatching = await watchMemory(browser, log)
      browser.once('disconnected', () => {
        stopWatching()
        void removeProfile(profile)
      })
      const tookMs = Math.round(performance.now() - startedMs)
      log.info({ version: browser.version(), tookMs }, 'the browser is started')
      return browser
    } catch (error) {
      await removeProfile(profile)
      throw error
    }
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ending = running
    running = undefined
    const browser = await ending?.catch(() => undefined)
    if (!browser?.isConnected()) return
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref())
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()))
    await Promise.race([Promise.all([browser.close().catch(() => {}), gone]), late])
  }
}

/**
 * Pages reach the network through the proxy of their own context only: what is outside of a context
 * has a proxy that nobody listens on, names are resolved nowhere, and nothing but TCP is left. The
 * pipe ends the browser together with the process that started it, whatever ends that.
 */
const SWITCHES = [
  '--remote-debugging-pipe',
  '--headless',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--no-pings',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-client-side-phishing-detection',
  '--disable-domain-reliability',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--block-new-web-contents',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,' +
    'PrivateNetworkAccessSendPreflights,NetworkPrediction,Translate,MediaRouter,' +
    'OptimizationHints,InterestFeedContentSuggestions,AutofillServerCommunication,' +
    'DialMediaRouteProvider,GlobalMediaControls,WebTransport',
  '--mute-audio',
  '--hide-scrollbars',
  '--password-store=basic',
  '--use-mock-keychain',
  '--force-color-profile=srgb',
  `--js-flags=--max-old-space-size=${MAX_HEAP_MB}`,
]
