/** The worker's side of commerce: asynchronous changes of products, and events for a message broker. */
import { createEventReader, type Event } from '#events'
import type { Loop } from '#jobs'
import { type BulkWorkerDeps, startBulkWorker } from './bulks/worker.ts'
import type { ProductContent } from './products/find.ts'

interface Deps extends Omit<BulkWorkerDeps, 'openProducts'> {
  /** Of a broker that events are handed to; none when absent. */
  readonly amqpUrl: string | undefined
  openContent(): Promise<ProductContent & { close(): void }>
  /** The common body of events (webhooks contract §7). */
  renderEvent(event: Event): { readonly id: string; readonly body: string }
}

export async function startCommerceJobs(deps: Deps): Promise<Loop> {
  const { db, clock, amqpUrl: url } = deps
  const bulks = startBulkWorker({ ...deps, openProducts })
  const publisher = url === undefined ? undefined : await publish(url)
  return { stop }

  /** Its client of AMQP is loaded only where there is a broker. */
  async function publish(url: string) {
    const { startPublisher } = await import('./feedback/publisher.ts')
    return startPublisher({ ...deps, url, events: createEventReader({ db, clock }) })
  }

  async function openProducts() {
    const [content, { createProducts }, { DEFAULT_STORE, findStore }] = await Promise.all([
      deps.openContent(),
      import('./products/products.ts'),
      import('./products/stores.ts'),
    ])
    return {
      products: createProducts({ content }),
      findStore: (code: string | null) =>
        code === null ? DEFAULT_STORE : findStore(content.model(), code),
      close: () => content.close(),
    }
  }

  async function stop() {
    await Promise.all([bulks.stop(), publisher?.stop()])
  }
}
