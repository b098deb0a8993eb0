// One indexed read behind the guard of access: open to everybody, metered for who presents a key.
import { createHttpServer } from '#http'
import { renderError } from '#http-text'
import { openAccess } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { startPlatform } from '../../src/platform.ts'

const config = loadConfig()
const platform = await startPlatform(config, { onGiveUp: () => process.exit(1) })
const { access } = await openAccess(config, platform)
await access.firstStart(config.admin)
const { reader } = platform.database.main

const app = await createHttpServer({
  log: platform.log,
  ids: platform.ids,
  mounts: [
    {
      prefix: '/api/v1',
      renderError,
      guard: access.guard('any'),
      plugin: (scope) => {
        scope.get('/read', { config: { access: 'none' } }, async () => {
          const data = await reader.selectFrom('access_plans').selectAll().orderBy('id').execute()
          return { data }
        })
      },
    },
  ],
})
app.decorateRequest('meter', null)
app.decorateRequest('usageEndpoint', null)
await app.listen({ host: config.host, port: config.port })
