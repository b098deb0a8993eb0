/**
 * The content store: types that are defined while the server runs, their entries and media. Every
 * dialect reads and writes it through this module and has no data of its own.
 */
import type {
  AccessLevel,
  Clock,
  Database,
  HttpApp,
  HttpPlugin,
  Ids,
  Log,
  Revisions,
} from '#kernel'
import { createFirstLocale } from './locales/first-locale.ts'
import type { ContentModel } from './model.ts'
import { createModelHolder } from './model-holder.ts'
import { createModelChanges } from './types/changes.ts'
import { createDefinitions } from './types/definitions.ts'
import { typeRoutes } from './types/routes.ts'

export type { ContentModel } from './model.ts'

/** Who reads; level null: no credential was presented. */
export interface Viewer {
  readonly level: AccessLevel | null
}

export interface ContentDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly revisions: Revisions
  /** The settings in force now (area `content`). */
  settings(): { readonly publicReadDefault: boolean }
}

export interface Content {
  /** The current snapshot; take it once per request. */
  model(): ContentModel
  /** Definitions, for `/api/v1`. */
  readonly adminRoutes: HttpPlugin
  close(): void
}

export async function createContent(deps: ContentDeps): Promise<Content> {
  const { db, clock, revisions } = deps
  const holder = await createModelHolder({ db, revisions })
  const changes = createModelChanges({ db, clock, revisions, follow: holder.follow })
  await createFirstLocale({ changes, model: holder.model })
  const definitions = createDefinitions({
    ...deps,
    changes,
    model: holder.model,
    publicReadDefault: () => deps.settings().publicReadDefault,
  })
  return { model: holder.model, adminRoutes, close: holder.close }

  async function adminRoutes(app: HttpApp) {
    await typeRoutes({ definitions, model: holder.model })(app)
  }
}
