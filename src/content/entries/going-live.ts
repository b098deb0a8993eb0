import { NeedsTransaction } from '#db'
import type { EntryStatus } from '../entry.ts'
import type { Body } from './body.ts'
import { checkLive } from './check-live.ts'
import { createProblems, isNamed, type Problems } from './input/parsed.ts'
import type { InverseChange } from './inverse.ts'
import type { Loaded } from './load.ts'
import { findOwners } from './owners.ts'
import type { Prepared } from './prepare.ts'
import { notPublishable } from './refusals.ts'
import type { Writing } from './writing.ts'

/** Whose fault it is decides the refusal: the input's, or that of what was stored before. */
export async function checkGoingLive(
  writing: Writing,
  loaded: Loaded,
  body: Body,
  inverse: readonly InverseChange[],
  { parsed, problems }: Prepared,
  { mode, from }: { readonly mode: 'merge' | 'replace'; readonly from: EntryStatus },
) {
  const { type } = writing
  const found = createProblems()
  // What was live before with the same values may lack what has become required since.
  const isWhole = mode === 'replace' || from !== 'published'
  const wrong = new Set(problems.issues.map(({ path }) => path[0]))
  const related = await relatedInverse(writing, loaded, inverse)
  checkLive(type, body, {
    problems: found,
    // What has another fault is not mentioned again.
    isChecked: (attribute) => !wrong.has(attribute.name) && (isWhole || isNamed(parsed, attribute)),
    hasInverse: ({ no }) => related.has(no),
  })
  if (found.issues.length === 0) return
  const isInputs = ([name]: readonly (string | number)[]) => {
    const attribute = type.attribute.get(String(name))
    return mode === 'replace' || (attribute !== undefined && isNamed(parsed, attribute))
  }
  if (!found.issues.some(({ path }) => isInputs(path)) && problems.issues.length === 0) {
    throw notPublishable(found.issues)
  }
  addAll(problems, found)
}

function addAll(problems: Problems, found: Problems) {
  for (const { path, rule, message } of found.issues) {
    problems.add(path, rule, message.slice(path.join('.').length + 1))
  }
}

/** Required relations whose links are stored at the other end, and have some. */
async function relatedInverse(
  writing: Writing,
  { entry }: Loaded,
  inverse: readonly InverseChange[],
): Promise<Set<number>> {
  const related = new Set<number>()
  for (const attribute of writing.type.attributes) {
    if (attribute.type !== 'relation' || attribute.side === 'owning') continue
    if (!attribute.required) continue
    const planned = inverse.find((change) => change.attribute.no === attribute.no)
    if (!planned && writing.tx.isPlan) throw new NeedsTransaction()
    const ownerType = writing.model.findType(attribute.target)
    const owners =
      planned?.wanted ??
      (ownerType ? await findOwners(writing, ownerType, attribute.linkNo, entry.document_id) : [])
    if (owners.length > 0) related.add(attribute.no)
  }
  return related
}
