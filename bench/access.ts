import { join } from 'node:path'
import type { Bench } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { compare, ratio } from './kit/compare.ts'

const OPEN = 'read without a key'
const METERED = 'read with a key'
const KEY = `sk_${'Bench0'.repeat(8)}`

const access: Bench = {
  name: 'access',
  summary: 'what a key costs: check, limits and metering on an indexed read',
  async run(context) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/api/v1/read`
    await context.start({
      command: process.execPath,
      args: [join(context.root, 'bench/targets/guarded-read.ts')],
      env: {
        ENTREPOT_PORT: String(port),
        ENTREPOT_DATA_DIR: context.temporaryDirectory(),
        ENTREPOT_ADMIN_KEY: KEY,
      },
      readyUrl: url,
    })
    const speeds = await compare(context, [
      { what: OPEN, url },
      { what: METERED, url, headers: { 'x-api-key': KEY } },
    ])
    const value = ratio(speeds, METERED, OPEN)
    const must = { atLeast: 0.8 }
    return { speeds, figures: [{ what: `${METERED} / ${OPEN}`, value, unit: 'x', must }] }
  },
}
export default access
