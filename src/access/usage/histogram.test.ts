import assert from 'node:assert/strict'
import { test } from 'node:test'
import { histogramOf, merge, parseHistogram, percentile, renderHistogram } from './histogram.ts'

/** The definition itself: the value at the rank, of all values in order. */
function exact(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1] ?? 0
}

/** Repeatable noise, so that a failure can be looked at. */
function createNoise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('every single time is told within 5 %, and exactly below 20 ms', () => {
  for (let ms = 0; ms < 20_000; ms++) {
    const told = percentile(histogramOf([ms]), 0.5)
    assert.ok(Math.abs(told - ms) <= ms * 0.05, `${ms} is told as ${told}`)
    if (ms < 20) assert.equal(told, ms)
  }
  for (const ms of [100_000, 3_600_000, 2 ** 31, 2 ** 52]) {
    const told = percentile(histogramOf([ms]), 0.99)
    assert.ok(Math.abs(told - ms) <= ms * 0.05, `${ms} is told as ${told}`)
  }
})

test('percentiles of any distribution are within 5 % of the exact ones', () => {
  const noise = createNoise(7)
  const shapes = [
    () => Math.floor(noise() * 100),
    () => Math.floor(1 / (noise() + 0.0001)),
    () => (noise() < 0.9 ? 12 : 900),
    () => Math.floor(Math.exp(noise() * 10)),
  ]
  for (const shape of shapes) {
    const times = Array.from({ length: 5_000 }, shape)
    for (const share of [0, 0.01, 0.5, 0.95, 0.99, 1]) {
      const [told, real] = [percentile(histogramOf(times), share), exact(times, share)]
      assert.ok(Math.abs(told - real) <= real * 0.05, `${share}: ${real} is told as ${told}`)
    }
  }
})

test('merged parts tell the same as the whole', () => {
  const noise = createNoise(3)
  const times = Array.from({ length: 1_000 }, () => Math.floor(noise() * 3_000))
  const parts = [times.slice(0, 1), times.slice(1, 400), [], times.slice(400)]
  const merged = parts.map(histogramOf).reduce(merge)
  assert.deepEqual(merged, histogramOf(times))
})

test('it survives being stored as text', () => {
  for (const times of [[], [0], [1, 1, 5_000, 17]]) {
    const histogram = histogramOf(times)
    assert.deepEqual(parseHistogram(renderHistogram(histogram)), histogram)
  }
})

test('of nothing every percentile is 0', () => {
  assert.equal(percentile([], 0.99), 0)
})
