import { hash } from 'node:crypto'
import { type HttpApp, sendHtml } from '#http'
import { PASSWORD_PAGE } from './password-resets.ts'

/** `/password`: where the link of a reset mail leads. Without a link one can be asked for. */
export function passwordPage(app: HttpApp): void {
  const policy = [
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
    "connect-src 'self'",
  ]
  app.get(PASSWORD_PAGE, (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return sendHtml(reply, HTML, policy)
  })
}

const STYLE = `
:root { color-scheme: light dark; --ink: #17212b; --soft: #5b6875; --line: #8794a1; --card: #fff;
  --page: #f4f6f8; --mark: #0b6e99; --mark-ink: #fff; --bad: #b4232f }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #9aa7b4; --line: #6b7885;
  --card: #1a222b; --page: #11171d; --mark: #4db5e4; --mark-ink: #07222f; --bad: #ff8b92 } }
* { box-sizing: border-box }
[hidden] { display: none }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: min(26rem, 100%); padding: 1.5rem; border-radius: 0.6rem; background: var(--card) }
h1 { margin: 0 0 1rem; font-size: 1.5rem }
label { display: block; margin-bottom: 0.25rem }
input { width: 100%; margin-bottom: 1rem; padding: 0.5rem 0.7rem; font: inherit; color: inherit;
  background: var(--page); border: 1px solid var(--line); border-radius: 0.4rem }
button { padding: 0.5rem 1rem; font: inherit; border: 0; border-radius: 0.4rem; cursor: pointer;
  background: var(--mark); color: var(--mark-ink) }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
.problem { color: var(--bad) }
`

const SCRIPT = `
const token = location.hash.slice(1)
const byId = (id) => document.getElementById(id)
history.replaceState(null, '', location.pathname)
byId(token ? 'set' : 'ask').hidden = false
byId('set').addEventListener('submit', (event) => send(event, '/api/v1/sign-in/password', {
  token, password: byId('password').value,
}, 'Your new password is set. You can sign in with it now.'))
byId('ask').addEventListener('submit', (event) => send(event, '/api/v1/sign-in/reset', {
  email: byId('email').value,
}, 'If there is an account with this address, a mail with a link is on its way to it.'))

async function send(event, path, body, done) {
  event.preventDefault()
  const form = event.currentTarget
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  const refused = answer && !answer.ok && (await answer.json().catch(() => undefined))
  byId('outcome').classList.toggle('problem', !answer?.ok)
  byId('outcome').textContent = answer?.ok
    ? done
    : (refused?.error?.message ?? 'The server does not answer; try again.')
  byId('outcome').hidden = false
  form.hidden = Boolean(answer?.ok)
  if (refused?.error?.code === 'reset_invalid') {
    form.hidden = true
    byId('ask').hidden = false
  }
}
`

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Password · Entrepot</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Set a new password</h1>
<noscript><p>This page needs JavaScript to send your new password to the server.</p></noscript>
<p id="outcome" role="status" hidden></p>
<form id="set" hidden>
<label for="password">New password, at least 8 characters</label>
<input id="password" type="password" minlength="8" maxlength="1024" autocomplete="new-password" required>
<button type="submit">Set password</button>
</form>
<form id="ask" hidden>
<label for="email">Your e-mail address</label>
<input id="email" type="email" maxlength="254" autocomplete="username" required>
<button type="submit">Send me a link</button>
</form>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`
