import assert from 'node:assert/strict'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly responses?: Readonly<Record<string, { readonly $ref?: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, object>> }
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']
const TWO_SENTENCES = /^\S.*\S\. \S.*\.$/s

/** Whoever reads or generates code from the document finds words for every operation (operation finding 20). */
export function assertDescribed({ paths, components }: Document): void {
  const names = new Set<string>()
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!METHODS.includes(method)) continue
      const where = `${method} ${path}`
      const { operationId = '', summary = '', description = '', responses = {} } = operation
      assert.match(operationId, /^[A-Za-z][\w.]*$/, where)
      assert.ok(!names.has(operationId), `${where}: ${operationId} is the name of another one, too`)
      names.add(operationId)
      assert.match(summary, /^[A-Z][^/{]{3,80}$/, `${where}: ${summary}`)
      assert.match(description, TWO_SENTENCES, `${where}: ${description}`)
      const refusals = Object.entries(responses).filter(([status]) => /^[45]/.test(status))
      assert.ok(refusals.length > 0, `${where} has no errors`)
      for (const [status, { $ref }] of refusals) {
        const known = $ref && components.responses[$ref.slice($ref.lastIndexOf('/') + 1)]
        assert.ok($ref === undefined || known, `${where}: ${status} leads nowhere`)
      }
    }
  }
  assert.ok(names.size > 0)
}
