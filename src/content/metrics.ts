import type { Metrics } from '#http'

interface Deps {
  readonly registry: Metrics['registry']
  plansCompiled(): number
  cacheHits(): number
  unindexed(): number
  searchWaiting(): Promise<number>
}

/** What an operator watches; a gauge is read when it is asked for. */
export async function registerMetrics(deps: Deps): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  const { registry, plansCompiled, cacheHits, unindexed, searchWaiting } = deps
  show(
    'content_plans_compiled',
    'Plans of content reads that this process has compiled; stands still once every form of question was asked',
    plansCompiled,
  )
  show(
    'content_cache_hits',
    'Reads of content for which this process had a response in its cache',
    cacheHits,
  )
  show(
    'content_types_unindexed',
    'Content types that the search index does not hold whole yet: their lists are searched without it',
    unindexed,
  )
  show(
    'content_search_waiting',
    'Copies that the search index has yet to take in: every search reads them, so many for long are more than the worker keeps up with',
    searchWaiting,
  )

  function show(name: string, help: string, read: () => number | Promise<number>) {
    new prometheus.Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(await read())
      },
    })
  }
}
