import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Registry } from 'prom-client'

type Samples = ReturnType<typeof monitorEventLoopDelay>

/** The time between two samples. */
const SAMPLE_MS = 10
const NANOSECONDS = 1e9

/** Names and words of prom-client. */
const FIGURES: readonly (readonly [string, string, (samples: Samples) => number])[] = [
  ['min', 'The minimum recorded event loop delay.', ({ min }) => min],
  ['max', 'The maximum recorded event loop delay.', ({ max }) => max],
  ['mean', 'The mean of the recorded event loop delays.', ({ mean }) => mean],
  ['stddev', 'The standard deviation of the recorded event loop delays.', ({ stddev }) => stddev],
  ...[50, 90, 99].map((n) => {
    const help = `The ${n}th percentile of the recorded event loop delays.`
    return [`p${n}`, help, (samples: Samples) => samples.percentile(n)] as const
  }),
]

/**
 * Takes the place of prom-client's figures of the event loop's delay, which are of the time since the last read:
 * without a sample since then its shortest delay is centuries, and its mean no number. Here the figures of the last
 * read stay until there is one. Resolves with the first sample.
 */
export async function watchEventLoop(registry: Registry): Promise<void> {
  const { default: prometheus } = await import('prom-client')
  const samples = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  samples.enable()
  const gauges = FIGURES.map(([figure, help, read], at) => {
    const name = `nodejs_eventloop_lag_${figure}_seconds`
    registry.removeSingleMetric(name)
    // The first one reads for all.
    const forAll = at === 0 ? { collect } : {}
    return { read, gauge: new prometheus.Gauge({ name, help, registers: [registry], ...forAll }) }
  })
  while (samples.count === 0) await delay(SAMPLE_MS)

  function collect() {
    if (samples.count === 0) return
    for (const { read, gauge } of gauges) gauge.set(read(samples) / NANOSECONDS)
    samples.reset()
  }
}
