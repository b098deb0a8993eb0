import type { FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from '#http'
import type { Clock } from '#kernel'
import { reportOthers } from '#paging'
import type { Keys } from '../keys.ts'
import type { PasswordResets } from '../password-resets.ts'
import type { PublicType } from '../plan-warnings.ts'
import type { Plans } from '../plans.ts'
import type { SignIns } from '../sign-ins.ts'
import type { Tickets } from '../tickets.ts'
import type { Users } from '../users.ts'
import type { Views } from '../views.ts'
import { keyRoutes } from './keys.ts'
import { meRoute } from './me.ts'
import { planRoutes } from './plans.ts'
import { type ChangeableSettings, settingsRoutes } from './settings.ts'
import { signInRoutes } from './sign-in.ts'
import { ticketRoute } from './stream-tickets.ts'
import { userRoutes } from './users.ts'
import { viewRoutes } from './views.ts'

export interface RouteDeps {
  readonly clock: Clock
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
}

interface Deps extends RouteDeps {
  readonly users: Users
  readonly plans: Plans
  readonly keys: Keys
  readonly signIns: SignIns
  readonly tickets: Tickets
  readonly views: Views
  readonly passwordResets: PasswordResets
  readonly settings: ChangeableSettings
  publicTypes(): readonly PublicType[]
  readonly publicUrl: string | undefined
}

/** The administration of access under `/api/v1` (access contract §6). */
export function accessRoutes(deps: Deps): HttpPlugin {
  const nouns = [meRoute, userRoutes, planRoutes, keyRoutes, signInRoutes, ticketRoute, viewRoutes]
  return (app) => {
    // A scope of its own, not awaited: filled before its mount is, it would miss the mount's last hooks.
    app.register(async (scope: HttpApp) => {
      scope.addHook('preValidation', reportOthers)
      for (const noun of nouns) await noun(deps)(scope)
      await settingsRoutes(deps)(scope)
    })
  }
}
