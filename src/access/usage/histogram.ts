/**
 * Counts of response times in buckets that grow by a constant factor. A percentile read from them,
 * rounded to whole milliseconds, is at most 5 % away from the exact one: half of that is the width of
 * a bucket, and where rounding adds more (below 20 ms) the nearest whole number is the exact one.
 *
 * A list of bucket, count, bucket, count …, ascending: the shortest form that is read fast, because
 * every batch reads and writes those of the endpoints it holds.
 */
export type Histogram = readonly number[]

const ERROR = 0.025
const FACTOR = (1 + ERROR) / (1 - ERROR)
const LOG_FACTOR = Math.log(FACTOR)

export function histogramOf(times: readonly number[]): Histogram {
  const counts = new Map<number, number>()
  for (const ms of times) {
    const bucket = bucketOf(ms)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => a - b).flat()
}

export function merge(a: Histogram, b: Histogram): Histogram {
  const merged: number[] = []
  let [placeA, placeB] = [0, 0]
  while (placeA < a.length || placeB < b.length) {
    const bucketA = a[placeA] ?? Number.POSITIVE_INFINITY
    const bucketB = b[placeB] ?? Number.POSITIVE_INFINITY
    let count = 0
    if (bucketA <= bucketB) {
      count += a[placeA + 1] ?? 0
      placeA += 2
    }
    if (bucketB <= bucketA) {
      count += b[placeB + 1] ?? 0
      placeB += 2
    }
    merged.push(Math.min(bucketA, bucketB), count)
  }
  return merged
}

/** The smallest value that at least the given share of all values does not exceed; 0 when empty. */
export function percentile(histogram: Histogram, share: number): number {
  const rank = Math.max(1, Math.ceil(countOf(histogram) * share))
  let seen = 0
  for (let at = 0; at < histogram.length; at += 2) {
    seen += histogram[at + 1] ?? 0
    if (seen >= rank) return Math.round(middleOf(histogram[at] ?? 0))
  }
  return 0
}

export function renderHistogram(histogram: Histogram): string {
  return histogram.join(',')
}

export function parseHistogram(text: string): Histogram {
  return JSON.parse(`[${text}]`)
}

function countOf(histogram: Histogram): number {
  let count = 0
  for (let at = 1; at < histogram.length; at += 2) count += histogram[at] ?? 0
  return count
}

/** Bucket 0 is zero itself; bucket n holds what lies above FACTOR^(n-2) up to FACTOR^(n-1). */
function bucketOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.ceil(Math.log(ms) / LOG_FACTOR)
}

/** The value from which both ends of the bucket are equally far away, measured by share. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * FACTOR ** (bucket - 1)) / (FACTOR + 1)
}
