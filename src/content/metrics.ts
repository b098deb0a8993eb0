import type { Metrics } from '#kernel'

interface Deps {
  readonly registry: Metrics['registry']
  plansCompiled(): number
}

/** What an operator watches; a gauge is read when it is asked for. */
export async function registerMetrics({ registry, plansCompiled }: Deps): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  new prometheus.Gauge({
    name: 'content_plans_compiled',
    help: 'Plans of content reads that this process has compiled; stands still once every form of question was asked',
    registers: [registry],
    collect() {
      this.set(plansCompiled())
    },
  })
}
