import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

const VIEWS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const

/** Each with what is on it once it is there. */
const SCREENS = [
  ['/welcome', 'First steps'],
  ['/content', 'Content'],
  ['/content/logs', 'Log entry'],
  ['/content/vessels/new', 'New vessel'],
  ['/media', 'Media'],
  ['/types', 'Types'],
  ['/types/vessel', 'Vessel'],
  ['/types/graph', 'Relations'],
] as const

export function everyScreen({ data, signedIn, assertSound, server }: ConsoleServer): void {
  describe('every screen', () => {
    for (const { width, height, colorScheme } of VIEWS) {
      test(`console 11, 12: at ${width} pixels, ${colorScheme}, nothing overflows, is empty or shuts people out`, async () => {
        const { page, complaints } = await signedIn('/', {
          viewport: { width, height },
          colorScheme,
        })
        const { document_id } = (await data('GET', '/api/v1/vessels?status=all'))[0]
        const all = [
          ...SCREENS,
          [`/content/vessels/${document_id}`, 'Šárka of the North'],
          [`/content/vessels/${document_id}/history`, 'History of Šárka of the North'],
        ] as const
        for (const [path, heading] of all) {
          await page.goto(`${server().url}/console${path}`)
          await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
          await page.waitForLoadState('networkidle')
          const name = path.replaceAll(document_id, 'one').replaceAll('/', '-').slice(1)
          await assertSound(page, `${name}-${width}-${colorScheme}`)
        }
        assert.deepEqual(complaints, [])
      })
    }
  })
}
