import { globSync } from 'node:fs'
import { describe } from 'node:test'

const ROOT = new URL('../', import.meta.url)

// What is tested beside the code is small: to start and load a process for each file would take ten
// times as long as the tests do. By its name every file still runs alone.
for (const file of globSync('{src,scripts,console/src,bench/kit}/**/*.test.ts', {
  cwd: ROOT,
}).sort()) {
  describe(file, async () => {
    await import(new URL(file, ROOT).href)
  })
}
