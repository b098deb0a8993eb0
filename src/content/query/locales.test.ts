import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentModel, Locale } from '../model.ts'
import { fallbackChain } from './locales.ts'

test('a chain of fallbacks is followed to its end and never in circles', () => {
  const locales = [
    locale('da', 'nb'),
    locale('nb', 'en'),
    locale('en', null),
    locale('x', 'y'),
    locale('y', 'x'),
  ]
  const model: Pick<ContentModel, 'findLocale'> = {
    findLocale: (code) => locales.find((each) => each.code === code),
  }
  assert.deepEqual(fallbackChain(model, 'da'), ['nb', 'en'])
  assert.deepEqual(fallbackChain(model, 'en'), [])
  assert.deepEqual(fallbackChain(model, 'x'), ['y'])
  assert.deepEqual(fallbackChain(model, 'none'), [])
})

function locale(code: string, fallback: string | null): Locale {
  return { id: 1, code, name: code, isDefault: false, fallback, createdAtMs: 0, updatedAtMs: 0 }
}
