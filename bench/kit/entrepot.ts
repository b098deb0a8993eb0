import { join } from 'node:path'
import { type ChildSpec, freePort } from './child.ts'

/** The whole product as its user starts it, on free ports and a data directory of its own. */
export async function serverSpec(
  root: string,
  dataDir: string,
): Promise<{ spec: ChildSpec; url: string; gatewayUrl: string }> {
  const port = await freePort()
  const gatewayPort = await freePort()
  const url = `http://127.0.0.1:${port}`
  const spec = {
    command: process.execPath,
    // As the script `start` in package.json does.
    args: [join(root, 'bin/entrepot.mjs'), 'start'],
    env: {
      ENTREPOT_PORT: String(port),
      ENTREPOT_GATEWAY_PORT: String(gatewayPort),
      ENTREPOT_DATA_DIR: dataDir,
    },
    readyUrl: `${url}/ready`,
  }
  return { spec, url, gatewayUrl: `http://127.0.0.1:${gatewayPort}` }
}
