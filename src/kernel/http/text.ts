// What HTTP messages say. No server and no client: threads of the gateway have their own.

export { negotiate } from './accept-encoding.ts'
export { createAskedAgain } from './asked-again.ts'
export { renderError } from './conventions.ts'
export { drainConnections, drainServer } from './drain.ts'
export { digestOf, weakEtag } from './etag.ts'
export { maskQuery } from './mask.ts'
export { parseMediaRanges } from './media-ranges.ts'
export { nodeHttp, nodeHttps } from './node-http.ts'
export { redirectLocation } from './outbound/redirect.ts'
export { credentialIn, parseQuery, queryCredential, queryTextOf } from './query.ts'
export { statusOf } from './statuses.ts'
export { addVary } from './vary.ts'
