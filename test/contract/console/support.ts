import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { type DatabaseKind, startBrowser } from '#test-kit'
import { contentServer } from '../content/support.ts'

const EMAIL = 'admin@localhost'
export const PASSWORD = 'printed-by-the-first-start'
const LOOPBACK = '127.0.0.0/8'
const VIEWPORT = { width: 1280, height: 720 }
/** A directory outside of the repository, when somebody wants to look at the screens: each takes half a second. */
const { ENTREPOT_TEST_PICTURES: PICTURES } = process.env
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

// Run in the page.
const TOO_WIDE = 'document.documentElement.scrollWidth - window.innerWidth'
/** What moves to its place after a change of width has arrived; a page that is not drawn for lack of time has no frames. */
const STILL = `Promise.race([
  new Promise((go) => setTimeout(go, 3000)),
  new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))
    .then(() => document.getAnimations().filter((one) => one instanceof CSSTransition))
    .then((moving) => Promise.allSettled(moving.map(({ finished }) => finished))),
]).then(() => true)`
// Neither style sheets are fetched again, nor is looked for what is never serious and takes long.
const SERIOUS = (rules: string) => `axe.run(document, {
  resultTypes: ['violations'], preload: false, elementRef: false, ${rules}
}).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`
const ALL_RULES = SERIOUS('rules: { region: { enabled: false } }')
/** Of a page that was looked at in other colours. */
const RULES_OF_COLOURS = SERIOUS("runOnly: ['color-contrast', 'link-in-text-block']")

/** More than any screen of the tests has. */
const MOST_STEPS = 150

/** What is needed of an element; the tests know no types of the DOM. */
interface InPage {
  readonly isConnected: boolean
  readonly ownerDocument: { readonly activeElement: unknown }
}

export type ConsoleServer = ReturnType<typeof consoleServer>

export interface Visit {
  readonly page: Page
  /** What the page complained of, and whom it asked beside this server. */
  readonly complaints: string[]
}

/** One server and one browser for all tests of the console on a database. */
export function consoleServer(kind: DatabaseKind) {
  const content = contentServer(kind, {
    ENTREPOT_ADMIN_PASSWORD: PASSWORD,
    ...{ ENTREPOT_WEBHOOKS_ALLOW_NETS: LOOPBACK, ENTREPOT_SCRAPERS_ALLOW_NETS: LOOPBACK },
  })
  let browser: Promise<Browser> | undefined
  /** Of a test that has ended. */
  let leftPage: Page | undefined
  // What a test starts ends with the test; bound here, it belongs to all of them.
  const start = AsyncResource.bind(startBrowser)
  const url = () => content.server().url
  return { kind, ...content, visit, signedIn, signInOn, assertSound }

  /** A browser of its own, with nobody signed in. */
  async function visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const visited = await openPage(options)
    await visited.page.goto(`${url()}/console${path}`)
    return visited
  }

  async function openPage(options: BrowserContextOptions): Promise<Visit> {
    let context: BrowserContext | undefined
    // Said before the browser is waited for, which belongs to all tests: afterwards it would be said to all of them.
    after(() => context?.close())
    context = await newContext(options)
    return watch(await context.newPage())
  }

  async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    browser ??= start()
    return (await browser).newContext({
      ...{ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: VIEWPORT },
      ...options,
    })
  }

  function watch(page: Page): Visit {
    page.setDefaultTimeout(15_000)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== url()) complaints.push(`asked ${origin}`)
    })
    page.on('console', (message) => {
      const isRefusal = /status of 4\d\d/.test(message.text())
      if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
    })
    return { page, complaints }
  }

  /**
   * The administrator's browser. It is emptied after each test and used by the next, because a new one takes
   * three seconds of the processor until it shows the console.
   */
  async function signedIn(path: string): Promise<Visit> {
    let page: Page | undefined
    after(async () => {
      if (page) leftPage = await emptied(page)
    })
    const left = leftPage
    leftPage = undefined
    page = left ?? (await (await newContext({})).newPage())
    const visited = watch(page)
    const data = { email: EMAIL, password: PASSWORD }
    const answer = await page.request.post(`${url()}/api/v1/sign-in`, { data })
    assert.equal(answer.status(), 200)
    await page.goto(`${url()}/console${path}`)
    return visited
  }

  /** Nothing of the test is left but what the browser has loaded. */
  async function emptied(page: Page): Promise<Page | undefined> {
    page.removeAllListeners()
    if (page.isClosed()) return undefined
    // One that failed may still hold up requests.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto(`${url()}/ready`)
    await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    await page.context().clearCookies()
    await page.emulateMedia({ colorScheme: null })
    await page.setViewportSize(VIEWPORT)
    return page
  }

  /** By keyboard, as a person who cannot use a mouse does. */
  async function signInOn(page: Page): Promise<void> {
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
  }

  /** Nothing overflows, nothing is empty, and nobody is shut out (axe: serious and critical). */
  async function assertSound(page: Page, name: string): Promise<void> {
    await page.evaluate(STILL)
    if (PICTURES !== undefined) {
      await page.screenshot({ path: join(PICTURES, `${name}.jpg`), type: 'jpeg' })
    }
    const wide = Number(await page.evaluate(TOO_WIDE))
    assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`)
    const words = (await page.locator('main').textContent())?.trim() ?? ''
    assert.ok(words.length > 10, `${name} shows nothing`)
    if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
    assert.deepEqual(await page.evaluate(ALL_RULES), [], name)
  }
}

/** After `assertSound`, in the other colours: nothing else has changed. */
export async function assertLegible(page: Page, name: string): Promise<void> {
  await page.evaluate(STILL)
  assert.deepEqual(await page.evaluate(RULES_OF_COLOURS), [], name)
}

/** By the Tab key alone, until the element has the focus. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  // Radio buttons are there, but drawn by something else.
  await element.waitFor({ state: 'attached' })
  // Looked for once and again when it was replaced: to find an element by its role or label looks at the whole page.
  let found = await element.elementHandles()
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    let isThere = await page.evaluate(focusIsIn, found)
    if (isThere === null) {
      found = await element.elementHandles()
      isThere = await hasFocus(page, element)
    }
    if (isThere) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${element}`)
}

/** Run in the page; null when one of the elements is no longer there. */
function focusIsIn(elements: readonly InPage[]): boolean | null {
  if (elements.length === 0 || elements.some((one) => !one.isConnected)) return null
  return elements.some((one) => one === one.ownerDocument.activeElement)
}

export async function hasFocus(page: Page, element: Locator): Promise<boolean> {
  return (await element.and(page.locator(':focus')).count()) > 0
}

/** The input of an attribute in the form of an entry. */
export function field(page: Page, name: string): Locator {
  return page.locator(`[data-field="${name}"]`).locator('input, textarea').first()
}
