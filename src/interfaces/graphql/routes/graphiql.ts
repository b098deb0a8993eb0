import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HttpApp, sendHtml } from '#http'
import { hasAccess } from '#kernel'

const BELOW = '/graphiql'
/** GraphiQL with its editor and workers, as a package brings them; large, so loaded when first asked for. */
const load = () => import('@graphql-yoga/render-graphiql/graphiql')

type Asset = 'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker'

const ASSETS: Readonly<Record<string, { readonly of: Asset; readonly type: string }>> = {
  'graphiql.js': { of: 'js', type: 'text/javascript' },
  'graphiql.css': { of: 'css', type: 'text/css' },
  'editor.js': { of: 'editorWorkerService', type: 'text/javascript' },
  'json.js': { of: 'jsonWorker', type: 'text/javascript' },
  'graphql.js': { of: 'graphqlWorker', type: 'text/javascript' },
}

/** Everything from here, and nothing else: the page works without the internet. */
const POLICY = [
  "script-src 'self'",
  // The editor sets its styles at run time (DESIGN §6 allows this page alone).
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
]

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphql${BELOW}/graphiql.css">
<title>GraphiQL</title>
</head>
<body class="no-focus-outline">
<noscript>This page needs JavaScript. The schema as text: <a href="/graphql/schema.graphql">/graphql/schema.graphql</a></noscript>
<div id="root"></div>
<script src="/graphql${BELOW}/workers.js"></script>
<script src="/graphql${BELOW}/graphiql.js"></script>
<script src="/graphql${BELOW}/start.js"></script>
</body>
</html>
`

const WORKERS = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_, label) =>
    '/graphql${BELOW}/' + (label === 'editorWorkerService' ? 'editor' : label) + '.js',
}
`

const START = `YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  endpoint: location.pathname,
  title: 'GraphiQL',
  defaultQuery: '# Write a query, then press the button or Ctrl+Enter.\\n',
})
`

/** In development for everybody, elsewhere for admins (contract §2). */
export function mayExplore({ actor }: FastifyRequest, isDevelopment: boolean): boolean {
  return isDevelopment || (actor !== null && hasAccess(actor, 'admin'))
}

export function sendGraphiql(reply: FastifyReply) {
  return sendHtml(reply, PAGE, POLICY)
}

/** What the page loads; it says nothing of the content. */
export function graphiqlRoutes(app: HttpApp): void {
  const config = { access: 'none', counted: false } as const
  const own = { 'workers.js': WORKERS, 'start.js': START }
  for (const [name, text] of Object.entries(own)) {
    app.get(`${BELOW}/${name}`, { config }, (_, reply) => sendAsset(reply, 'text/javascript', text))
  }
  for (const [name, { of, type }] of Object.entries(ASSETS)) {
    app.get(`${BELOW}/${name}`, { config }, async (_, reply) => {
      const { [of]: text } = await load()
      return sendAsset(reply, type, text)
    })
  }
}

function sendAsset(reply: FastifyReply, type: string, text: string) {
  return reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=3600')
    .header('x-content-type-options', 'nosniff')
    .send(text)
}
