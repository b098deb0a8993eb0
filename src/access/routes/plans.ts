import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { hasAccess } from '#kernel'
import { answerList, listParameters, parseList } from '#paging'
import { parseFigures, parsePlan } from '../plan-input.ts'
import { type PublicType, warningsOf } from '../plan-warnings.ts'
import type { Plans } from '../plans.ts'
import type { Plan as StoredPlan } from '../records.ts'
import { renderOfferedPlan, renderPlan } from '../render.ts'
import { NewPlan, Plan, PlanChange } from '../schemas.ts'
import { PLAN_SORTS } from '../store/plans.ts'
import type { RouteDeps } from './index.ts'
import { actorOf, dataOf, IdParams, idOf, listOf } from './shared.ts'

const forAdmins = { access: 'admin' } as const
const forReaders = { access: 'read' } as const
const tags = ['Plans']

interface Deps extends RouteDeps {
  readonly plans: Plans
  publicTypes(): readonly PublicType[]
}

const changed = Type.Object({ data: Plan, warnings: Type.Optional(Type.Array(Type.String())) })

export function planRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { plans, origin, publicTypes }: Deps): void {
  app.post(
    '/plans',
    {
      config: { ...forAdmins, idempotent: true },
      schema: {
        tags,
        summary: 'Create a plan',
        description:
          'A plan says which endpoints its keys open and how often, -1 meaning without limit. When it names a content type that everybody can read, the answer warns of it in `warnings`.',
        body: NewPlan,
        response: { 201: changed },
      },
    },
    async (request, reply) => {
      const figures = parsePlan(request.body)
      const plan = await once(request, (keep) => plans.create(figures, keep))
      reply.code(201).header('location', `/api/v1/plans/${plan.id}`)
      return renderChanged(plan, publicTypes())
    },
  )

  app.get(
    '/plans',
    {
      config: forReaders,
      schema: {
        tags,
        summary: 'List plans',
        description:
          'Pages of plans with their limits, endpoints and prices. Every installation begins with four of them.',
        querystring: listParameters([]),
        response: { 200: listOf(Plan) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: PLAN_SORTS, filters: [] })
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page: await plans.list(list),
        render: hasAccess(actorOf(request), 'admin') ? renderPlan : renderOfferedPlan,
      })
    },
  )
}

function singleRoutes(app: HttpApp, { plans, publicTypes }: Deps): void {
  app.get(
    '/plans/:id',
    {
      config: forReaders,
      schema: {
        tags,
        summary: 'Read a plan',
        description:
          'The record of one plan. Keys that belong to it are listed under `/api/v1/keys?plan_id=`.',
        params: IdParams,
        response: { 200: dataOf(Plan) },
      },
    },
    async (request) => {
      const plan = await plans.get(idOf(request, 'plan'))
      const render = hasAccess(actorOf(request), 'admin') ? renderPlan : renderOfferedPlan
      return { data: render(plan) }
    },
  )

  app.put(
    '/plans/:id',
    {
      config: forAdmins,
      schema: {
        tags,
        summary: 'Replace a plan',
        description:
          'Sets every member; those that are not sent get their defaults. New limits hold for the next request of every key of the plan.',
        params: IdParams,
        body: NewPlan,
        response: { 200: changed },
      },
    },
    async (request) => {
      const plan = await plans.update(idOf(request, 'plan'), parsePlan(request.body))
      return renderChanged(plan, publicTypes())
    },
  )

  app.patch(
    '/plans/:id',
    {
      config: forAdmins,
      schema: {
        tags,
        summary: 'Change a plan',
        description:
          'Changes the members that are sent and leaves the others. New limits hold for the next request of every key of the plan.',
        params: IdParams,
        body: PlanChange,
        response: { 200: changed },
      },
    },
    async (request) => {
      const plan = await plans.update(idOf(request, 'plan'), parseFigures(request.body))
      return renderChanged(plan, publicTypes())
    },
  )

  app.delete(
    '/plans/:id',
    {
      config: forAdmins,
      schema: {
        tags,
        summary: 'Delete a plan',
        description:
          'Removes a plan that no active key has. While one has it, the answer is 409 `plan_in_use`.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await plans.remove(idOf(request, 'plan'))
      reply.code(204)
    },
  )
}

function renderChanged(plan: StoredPlan, publicTypes: readonly PublicType[]) {
  const warnings = warningsOf(plan.endpoints, publicTypes)
  return { data: renderPlan(plan), ...(warnings.length > 0 ? { warnings } : {}) }
}
