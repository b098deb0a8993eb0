import type { BrowserContext } from 'playwright-core'
import type { Cookies } from '../engine/cookies.ts'

/** The most recent ones: those of hosts that only one page of a run used are of no use to others. */
const MOST_GIVEN = 500
const SECOND = 1_000

/** What the run knows so far; a cookie that the browser refuses is left out. */
export async function giveCookies(context: BrowserContext, cookies: Cookies): Promise<void> {
  const given = cookies.all().slice(-MOST_GIVEN)
  const params = given.map(({ host, cookie }) => ({
    ...{ name: cookie.name, value: cookie.value, domain: host, path: cookie.path },
    ...{ secure: cookie.isSecure, httpOnly: cookie.isHttpOnly },
    expires: Number.isFinite(cookie.expiresAtMs) ? Math.ceil(cookie.expiresAtMs / SECOND) : -1,
  }))
  if (params.length === 0) return
  await context.addCookies(params).catch(async () => {
    for (const each of params) await context.addCookies([each]).catch(() => {})
  })
}

/** What the page set, by its scripts or with what it loaded; each for the host that set it alone. */
export async function takeCookies(
  context: BrowserContext,
  cookies: Cookies,
  { hostname }: URL,
): Promise<void> {
  for (const each of await context.cookies()) {
    const domain = each.domain.replace(/^\./, '')
    const isOwn = each.domain.startsWith('.') && `.${hostname}`.endsWith(`.${domain}`)
    cookies.keep(isOwn ? hostname : domain, {
      ...{ name: each.name, value: each.value, path: each.path },
      ...{ isSecure: each.secure, isHttpOnly: each.httpOnly },
      expiresAtMs: each.expires < 0 ? Number.POSITIVE_INFINITY : each.expires * SECOND,
    })
  }
}
