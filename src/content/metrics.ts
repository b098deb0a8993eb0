import type { Metrics } from '#http'

interface Deps {
  readonly registry: Metrics['registry']
  plansCompiled(): number
  cacheHits(): number
  unindexed(): number
}

/** What an operator watches; a gauge is read when it is asked for. */
export async function registerMetrics(deps: Deps): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  const { registry, plansCompiled, cacheHits, unindexed } = deps
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

  function show(name: string, help: string, read: () => number) {
    new prometheus.Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(read())
      },
    })
  }
}
