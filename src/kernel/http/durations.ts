const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  readonly labels: string
  /** One per bucket, the last for everything slower; not yet summed up. */
  readonly counts: number[]
  sumSeconds: number
}

/**
 * A Prometheus histogram that finds its series by two map look-ups. The general one hashes all
 * labels at every observation, which was a twentieth of a small request.
 */
export function createDurations(name: string, help: string) {
  const routes = new Map<string, Map<string, Series[]>>()
  return { observe, render }

  function observe(route: string, method: string, status: number, seconds: number): void {
    const series = seriesOf(route, method, Math.floor(status / 100))
    let bucket = 0
    while (seconds > (BUCKETS_SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sumSeconds += seconds
  }

  function seriesOf(route: string, method: string, statusClass: number): Series {
    const known = routes.get(route)?.get(method)?.[statusClass]
    if (known) return known
    const ofRoute = routes.get(route) ?? new Map<string, Series[]>()
    routes.set(route, ofRoute)
    const series: Series = {
      labels: `method="${method}",route="${escapeLabel(route)}",status="${statusClass}xx"`,
      counts: Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0),
      sumSeconds: 0,
    }
    const ofMethod = ofRoute.get(method) ?? []
    ofRoute.set(method, ofMethod)
    ofMethod[statusClass] = series
    return series
  }

  function render(): string {
    const all = [...routes.values()].flatMap((ofRoute) => [...ofRoute.values()].flat())
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...all.flatMap(renderSeries),
      '',
    ].join('\n')
  }

  function renderSeries({ labels, counts, sumSeconds }: Series): string[] {
    let total = 0
    const buckets = [...BUCKETS_SECONDS, '+Inf'].map((limit, index) => {
      total += counts[index] ?? 0
      return `${name}_bucket{${labels},le="${limit}"} ${total}`
    })
    return [...buckets, `${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${total}`]
  }
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
