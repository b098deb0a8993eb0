/**
 * Counts of response times in buckets that grow by a constant factor. A percentile read from them,
 * rounded to whole milliseconds, is at most 5 % away from the exact one: half of that is the width of
 * a bucket, and where rounding adds more (below 20 ms) the nearest whole number is the exact one.
 */
export type Histogram = Map<number, number>

const ERROR = 0.025
const FACTOR = (1 + ERROR) / (1 - ERROR)
const LOG_FACTOR = Math.log(FACTOR)

export function addTo(histogram: Histogram, ms: number, count = 1): void {
  const bucket = bucketOf(ms)
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + count)
}

export function mergeInto(target: Histogram, source: Histogram): void {
  for (const [bucket, count] of source) target.set(bucket, (target.get(bucket) ?? 0) + count)
}

/** The smallest value that at least the given share of all values does not exceed; 0 when empty. */
export function percentile(histogram: Histogram, share: number): number {
  const buckets = [...histogram].sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(total * share))
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= rank) return Math.round(middleOf(bucket))
  }
  return 0
}

/** `3:10,17:2`, short because most hours of an endpoint fill few buckets. */
export function renderHistogram(histogram: Histogram): string {
  return [...histogram]
    .sort(([a], [b]) => a - b)
    .map(([bucket, count]) => `${bucket}:${count}`)
    .join(',')
}

export function parseHistogram(text: string): Histogram {
  const histogram: Histogram = new Map()
  if (text === '') return histogram
  for (const pair of text.split(',')) {
    const colon = pair.indexOf(':')
    histogram.set(Number(pair.slice(0, colon)), Number(pair.slice(colon + 1)))
  }
  return histogram
}

/** Bucket 0 is zero itself; bucket n holds what lies above FACTOR^(n-2) up to FACTOR^(n-1). */
function bucketOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.ceil(Math.log(ms) / LOG_FACTOR)
}

/** The value from which both ends of the bucket are equally far away, measured by share. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * FACTOR ** (bucket - 1)) / (FACTOR + 1)
}
