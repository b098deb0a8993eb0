import type { HttpApp } from '#http'
import { csvLine } from '#kernel'
import type { Bill, Bills } from './bills.ts'
import type { Breakdown } from './breakdown.ts'
import { parseMonth } from './instant.ts'
import { toIso } from './periods.ts'
import { live, onlyKnown, rangeOf } from './requests.ts'
import * as schemas from './schemas.ts'

export interface EverybodyDeps {
  readonly breakdownOf: Breakdown['breakdownOf']
  readonly billsOf: Bills['billsOf']
}

const TAGS = ['Usage']
const FOR_ADMINS = { access: 'admin' } as const
const COLUMNS = ['user_id', 'user', 'currency', 'keys', 'requests', 'total'] as const

/** What everybody used and owes, for whoever sells it. */
export function everybodyRoutes(app: HttpApp, deps: EverybodyDeps): void {
  app.get('/usage/breakdown', {
    config: FOR_ADMINS,
    preHandler: onlyKnown(schemas.breakdownQuery),
    schema: {
      summary: 'Requests by key, user or plan',
      description:
        'Who used how much in the period, most first, in whole UTC days. A key counts for the plan that it has now.',
      tags: TAGS,
      querystring: schemas.breakdownQuery,
      response: { 200: schemas.breakdownBody },
    },
    handler: async (request, reply) => {
      const { by, limit } = request.query
      const { range, rows, total } = await deps.breakdownOf({
        ...{ by, limit },
        ...rangeOf(request.query),
      })
      const meta = { by, total, from: toIso(range.fromMs), to: toIso(range.toMs) }
      return live(reply).send({ data: rows, meta })
    },
  })

  app.get('/usage/invoices', {
    config: FOR_ADMINS,
    preHandler: onlyKnown(schemas.invoicesQuery),
    schema: {
      summary: 'What everybody owes for a month',
      description:
        'One line for each user and currency with the sum of `/usage/invoice`. As CSV it is a file for a spreadsheet.',
      tags: TAGS,
      querystring: schemas.invoicesQuery,
      response: { 200: { content: schemas.invoicesContent } },
    },
    handler: async (request, reply) => {
      const { month, format, csv_safe: safe } = request.query
      const monthMs = month === undefined ? undefined : parseMonth('month', month)
      const { bills, ...meta } = await deps.billsOf(monthMs)
      if (format !== 'csv') return live(reply).send({ data: bills.map(renderBill), meta })
      const lines = bills.map(renderBill).map((bill) =>
        csvLine(
          COLUMNS.map((name) => bill[name]),
          safe,
        ),
      )
      return live(reply)
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', `attachment; filename="invoices-${meta.month}.csv"`)
        .send([csvLine(COLUMNS, safe), ...lines].join(''))
    },
  })
}

function renderBill({ userId, user, currency, keys, requests, cents }: Bill) {
  return { user_id: userId, user, currency, keys, requests, total: cents / 100 }
}
