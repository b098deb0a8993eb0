import { escapeHtml } from './html.ts'

/**
 * The reference runs without the internet: script from here, no fonts, no telemetry, no request
 * proxy, no assistant. The policy makes the browser refuse whatever a later version might add.
 */
export const DOCS_POLICY = [
  "script-src 'self'",
  // The reference sets its styles at run time (DESIGN §6 allows this page alone).
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
]

/** A document that the page offers. */
export interface Listed {
  readonly title: string
  /** Where it is: `/openapi/cms.json`. */
  readonly path: string
}

export function renderDocsPage(title: string, documents: readonly Listed[]): string {
  const links = documents.map(({ path }) => `<a href="${escapeHtml(path)}">${escapeHtml(path)}</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
</head>
<body>
<noscript>This page needs JavaScript. The same as documents: ${links.join(', ')}</noscript>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
}

export function renderDocsStart(documents: readonly Listed[]): string {
  const sources = documents.map(({ title, path }) => ({ title, url: path }))
  return `Scalar.createApiReference('#reference', ${JSON.stringify({ sources, ...CONFIGURATION })})\n`
}

const CONFIGURATION = {
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
}
