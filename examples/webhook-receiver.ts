// A receiver of webhooks: verifies each delivery, notices repetitions and answers at once.
//
//   WEBHOOK_SECRET=<secret> node examples/webhook-receiver.ts
//
// The secret is in the answer to POST /webhooks/subscriptions. While you rotate it, give both
// secrets with a comma between.
import http from 'node:http'
import { verifyWebhook, WebhookError } from '../client/src/index.ts'

const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(',').filter(Boolean)
const port = Number(process.env['PORT'] ?? 3000)
if (secrets.length === 0) {
  console.error('Set WEBHOOK_SECRET to the secret of the subscription.')
  process.exit(1)
}

/** A real receiver keeps these in its database, in the transaction of the work itself. */
const seen = new Set<string>()

const server = http.createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = await verifyWebhook(
      { headers: request.headers, body: Buffer.concat(chunks) },
      secrets,
    )
    // Delivery is at least once: the same id may come again.
    if (!seen.has(event.id)) {
      seen.add(event.id)
      console.log(event.sequence ?? 'test', event.type, JSON.stringify(event.data))
    }
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    console.error(error.message)
    response.writeHead(400).end(error.reason)
  }
})
server.listen(port, '127.0.0.1', () => console.log(`waiting on http://127.0.0.1:${port}/`))
