import type { HttpPlugin } from '#http'
import type { Keys } from '../keys.ts'
import type { Plans } from '../plans.ts'
import { renderKey, renderLimits, renderOfferedPlan, renderUser } from '../render.ts'
import { Me } from '../schemas.ts'
import type { Users } from '../users.ts'
import type { RouteDeps } from './index.ts'
import { actorOf, dataOf } from './shared.ts'

interface Deps extends RouteDeps {
  readonly users: Users
  readonly keys: Keys
  readonly plans: Plans
}

/** Who am I: answered to every credential, also an exhausted one (access contract §4.5). */
export function meRoute({ users, keys, plans, clock }: Deps): HttpPlugin {
  return (app) => {
    app.get(
      '/me',
      {
        config: { access: 'any', counted: false },
        schema: {
          tags: ['Me'],
          summary: 'Who you are',
          description:
            'Answers with the user, key, plan and limits of the credential that was sent. It costs nothing of the month.',
          response: { 200: dataOf(Me) },
        },
      },
      async (request) => {
        const actor = actorOf(request)
        const [user, key, plan] = await Promise.all([
          users.get(actor.userId),
          actor.apiKeyId === null ? undefined : keys.find(actor.apiKeyId),
          actor.planId === null ? undefined : plans.find(actor.planId),
        ])
        return {
          data: {
            user: renderUser(user),
            access: actor.access,
            kind: actor.kind,
            key: key ? renderKey(key, clock.now()) : null,
            plan: plan ? renderOfferedPlan(plan) : null,
            limits: plan ? renderLimits(plan) : null,
          },
        }
      },
    )
  }
}
