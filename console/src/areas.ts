import type { Area } from './area.ts'
import { reference } from './screens/api/area.ts'
import { content } from './screens/content/area.ts'
import { gateway } from './screens/gateway/area.ts'
import { home } from './screens/home/area.ts'
import { media } from './screens/media/area.ts'
import { scrapers } from './screens/scrapers/area.ts'
import { mine, sell } from './screens/sell/area.ts'
import { settings } from './screens/settings/area.ts'
import { shop } from './screens/shop/area.ts'
import { types } from './screens/types/area.ts'
import { webhooks } from './screens/webhooks/area.ts'
import { welcome } from './screens/welcome/area.ts'

/** The navigation, in its order. A new area adds its line here and nothing elsewhere. */
export const AREAS: readonly Area[] = [
  welcome,
  home,
  content,
  media,
  types,
  scrapers,
  shop,
  sell,
  mine,
  webhooks,
  gateway,
  reference,
  settings,
]
