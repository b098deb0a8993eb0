import { type Issue, invalid } from '#kernel'
import { problemOf } from './endpoints.ts'
import { PLAN_DEFAULTS } from './plans.ts'
import { parseCents } from './price.ts'
import type { PlanFigures } from './records.ts'
import type { NewPlanBody, PlanChangeBody } from './schemas.ts'

/** A whole plan; what was left out has its default. */
export function parsePlan(body: NewPlanBody): PlanFigures {
  return {
    ...PLAN_DEFAULTS,
    ...parseFigures(body),
    name: body.name,
    requestsPerMonth: toLimit(body.requests_per_month),
    requestsPerMinute: toLimit(body.requests_per_minute),
  }
}

/** The members that were sent, or everything that is wrong with them. */
export function parseFigures(body: PlanChangeBody): Partial<PlanFigures> {
  const cents = body.price_monthly === undefined ? undefined : parseCents(body.price_monthly)
  const issues = [
    ...rateIssues(body.requests_per_minute),
    ...(body.endpoints ?? []).flatMap(endpointIssues),
    ...(body.price_monthly !== undefined && cents === undefined ? [PRICE_ISSUE] : []),
  ]
  if (issues.length > 0) throw invalid(issues)
  return withoutUndefined({
    name: body.name,
    requestsPerMonth: maybeLimit(body.requests_per_month),
    requestsPerMinute: maybeLimit(body.requests_per_minute),
    endpoints: body.endpoints,
    priceCents: cents,
    currency: body.currency,
    keysPerUser: body.keys_per_user,
  })
}

const PRICE_ISSUE: Issue = {
  path: ['price_monthly'],
  rule: 'range',
  message: 'price_monthly must be from 0 to 99999999.99 with at most two decimals',
}

function rateIssues(perMinute: number | undefined): Issue[] {
  if (perMinute !== 0) return []
  const message = 'requests_per_minute must be at least 1, or -1 for unlimited'
  return [{ path: ['requests_per_minute'], rule: 'range', message }]
}

function endpointIssues(endpoint: string, index: number): Issue[] {
  const problem = problemOf(endpoint)
  if (problem === undefined) return []
  const message = `endpoints.${index}: ${problem}`
  return [{ path: ['endpoints', index], rule: 'pattern', message }]
}

/** -1 on the wire is unlimited (Doc 2 §2.1). */
function toLimit(figure: number): number | null {
  return figure === -1 ? null : figure
}

function maybeLimit(figure: number | undefined): number | null | undefined {
  return figure === undefined ? undefined : toLimit(figure)
}

function withoutUndefined(given: { [K in keyof PlanFigures]: PlanFigures[K] | undefined }) {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const figures: Partial<PlanFigures> = Object.fromEntries(entries)
  return figures
}
