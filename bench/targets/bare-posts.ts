// Bare POSTs by undici, so many at once: the yardstick of deliveries. Run as a program it prints its rate.
import { Pool } from 'undici'

const [url = '', total = '10000', atOnce = '64', body = '{}'] = process.argv.slice(2)
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: Number(atOnce) })
let left = Number(total)
const startedAtMs = performance.now()
await Promise.all(Array.from({ length: Number(atOnce) }, post))
console.log(Number(total) / ((performance.now() - startedAtMs) / 1000))
await pool.close()

async function post() {
  while (left-- > 0) {
    const answer = await pool.request({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': 'application/json' },
      body,
    })
    await answer.body.dump()
  }
}
