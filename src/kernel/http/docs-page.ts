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

export function renderDocsPage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
</head>
<body>
<noscript>This page needs JavaScript. The same as a document: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></noscript>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
}

export const DOCS_START = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/api/v1/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
})})
`
