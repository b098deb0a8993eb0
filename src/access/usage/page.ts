import { readFileSync } from 'node:fs'
import { type HttpApp, sendHtml } from '#http'

const read = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

/** Only what this server sends itself, and nothing written into the page. */
const POLICY = ["script-src 'self'", "connect-src 'self'"]

/** `/usage`: the dashboard of a key's owner. The page holds no data; its script asks the API. */
export function usagePage(app: HttpApp): void {
  const html = read('usage.html')
  const assets = [
    { url: '/usage/usage.js', type: 'text/javascript; charset=utf-8', text: read('usage.js') },
    { url: '/usage/usage.css', type: 'text/css; charset=utf-8', text: read('usage.css') },
  ]
  app.get('/usage', (_request, reply) => sendHtml(reply, html, POLICY))
  for (const { url, type, text } of assets) {
    app.get(url, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'public, no-cache')
        .header('x-content-type-options', 'nosniff')
        .send(text),
    )
  }
}
