import { hash } from 'node:crypto'
import type { HttpPlugin } from '#http'
import { escapeHtml, sendHtml } from '#http'

export interface LandingDeps {
  readonly version: string
  /** Where the gateway listens; null when this process has none. */
  readonly gatewayUrl: string | null
}

export const CONSOLE_PATH = '/console/'
/** Signed in it shows the own keys, signed out it asks for one. */
const USAGE_PATH = '/console/mine?by=key'

/** `GET /`: where to go from here, for a person who opened the address in a browser. */
export function landingPage(deps: LandingDeps): HttpPlugin {
  const policy = [`style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`]
  return (app) => {
    // Rendered once all parts are there: what this server does not have is not linked.
    let html: string | undefined
    app.get('/', (request, reply) => {
      // Whoever is signed in wants the console; one whose session is over signs in there.
      if (hasSession(request.headers.cookie)) return reply.redirect(CONSOLE_PATH)
      html ??= renderLanding(deps, app.hasRoute({ method: 'GET', url: CONSOLE_PATH }))
      return sendHtml(reply, html, policy)
    })
    app.get('/usage', (_request, reply) => reply.redirect(USAGE_PATH))
  }
}

function hasSession(cookies = ''): boolean {
  return /(?:^|;\s*)entrepot_signin=[^;]/.test(cookies)
}

function renderLanding({ version, gatewayUrl }: LandingDeps, hasConsole: boolean): string {
  const links = [
    hasConsole
      ? link(CONSOLE_PATH, 'Sign in', 'The console: content, keys, plans, the gateway')
      : '',
    link('/docs', 'API reference', 'Every endpoint, with a console to try it'),
    link('/api/v1/openapi.json', 'OpenAPI document', 'For code generators and other tools'),
    link('/usage', 'Usage', 'What a key has used, live'),
    link('/health', 'Health', 'Alive; <code>/ready</code> says whether it can serve'),
  ]
  // Not a link: which paths it answers is a matter of its routes.
  const gateway =
    gatewayUrl === null ? '' : `<p>Published routes: <code>${escapeHtml(gatewayUrl)}</code></p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Entrepot</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Entrepot</h1>
<p class="lead">This server collects, keeps, publishes and sells content as an API. It is running.</p>
<ul>${links.join('')}</ul>
${gateway}
<footer>Version ${escapeHtml(version)}</footer>
</main>
</body>
</html>
`
}

function link(href: string, title: string, note: string): string {
  return `<li><a href="${escapeHtml(href)}"><strong>${title}</strong><span>${note}</span></a></li>`
}

const STYLE = `
:root { color-scheme: light dark; --ink: #17212b; --soft: #5b6875; --line: #dde3e9; --card: #fff;
  --page: #f4f6f8; --mark: #0b6e99 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #9aa7b4; --line: #2b3641;
  --card: #1a222b; --page: #11171d; --mark: #5cc0ec } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: min(34rem, 100%) }
h1 { margin: 0; font-size: 2.25rem; letter-spacing: -0.02em }
.lead { margin: 0.25rem 0 1.75rem; color: var(--soft) }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.75rem }
a { display: block; padding: 0.9rem 1.1rem; border: 1px solid var(--line); border-radius: 0.6rem;
  background: var(--card); color: inherit; text-decoration: none }
a:hover, a:focus-visible { border-color: var(--mark); outline: none }
strong { display: block; color: var(--mark) }
span { color: var(--soft); font-size: 0.925rem }
code { font: 0.9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere }
footer { margin-top: 1.75rem; color: var(--soft); font-size: 0.85rem }
`
