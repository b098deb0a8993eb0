import { type Issue, invalid } from '#kernel'

export type IssueRule =
  | 'unknown_field'
  | 'private_field'
  | 'not_comparable'
  | 'wrong_type'
  | 'too_deep'
  | 'too_many'
  | 'unknown_relation'
  | 'unknown_operator'
  | 'malformed'

export type At = readonly (string | number)[]

/** More would help nobody. */
const MOST = 50

/** Collects what is wrong with a query, so that the caller hears of all of it at once. */
export function createIssues() {
  const found: Issue[] = []
  return { add, note, refuse, all: (): readonly Issue[] => found }

  function add(at: At, rule: IssueRule, message: string): void {
    note({ path: at, rule, message })
  }

  function note(issue: Issue): void {
    if (found.length < MOST) found.push(issue)
  }

  function refuse(): void {
    if (found.length > 0) throw invalid(found, 'invalid_query')
  }
}

export type Issues = ReturnType<typeof createIssues>
