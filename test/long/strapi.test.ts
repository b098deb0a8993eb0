import { describe } from 'node:test'
import { ADMIN_KEY, installation, shareServer, startServer } from '#test-kit'
import { movedFromStrapi } from '../contract/cms/moved-from-strapi.ts'
import { isStrapiInstalled, startObserved } from '../strapi/start.ts'

const skip = isStrapiInstalled ? false : 'npm run bench:peers installs Strapi'

// The same as in `npm test` with recorded answers, from a Strapi that runs.
describe('from a real Strapi', { skip }, () => {
  const server = shareServer(async () =>
    startServer(await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })),
  )
  movedFromStrapi({ server }, startObserved)
})
