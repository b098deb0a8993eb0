import { isUuid, memoizeOf } from '#kernel'
import type { Passwords } from '#secrets'
import { isStorableText } from '../fields/support/text.ts'
import type { ContentModel, ContentType, FieldSet } from '../model.ts'
import type { Body } from './body.ts'
import { parseBody, parseMembers } from './input/parse.ts'
import {
  createProblems,
  type ParsedBody,
  type ParsedScalar,
  type Problems,
} from './input/parsed.ts'
import type { CreateOptions, EntryInput } from './ports.ts'

const LONGEST_EXTERNAL_ID = 255

/** An input that is well formed, with passwords hashed: nothing in it needs time any more. */
export interface Prepared {
  readonly input: EntryInput
  readonly parsed: ParsedBody
  readonly problems: Problems
  /** What the entry is to say, in place of what the input makes of it. */
  readonly restored?: Body
  /** The time has come that the entry names. */
  readonly isScheduled?: boolean
}

/** Of a write whose input is prepared, with the model by which the input was read, if that was some time ago. */
export interface PreparedOptions extends CreateOptions {
  readonly model?: ContentModel
}

/** Done before the transaction, because hashing takes long and every other writer would wait. */
export async function prepare(
  type: ContentType,
  input: EntryInput,
  model: ContentModel,
  passwords: Pick<Passwords, 'hash'>,
): Promise<Prepared> {
  const problems = createProblems()
  const ignoreUnknown = input.unknown === 'ignore'
  const body = parseBody(type, input.values, { model, problems, ignoreUnknown })
  const members = parseMembers(type, input.members ?? {}, problems)
  const parsed = { ...body, members }
  checkSystem(input, problems)
  const isPlain = parsed.parts.size === 0 && !hasPassword(type)
  if (isPlain || problems.issues.length > 0) return { input, parsed, problems }
  return { input, parsed: await hashed(type, parsed, passwords), problems }
}

const hasPassword = memoizeOf(({ attributes }: FieldSet) =>
  attributes.some(({ type }) => type === 'password'),
)

function checkSystem(input: EntryInput, problems: Problems) {
  const { externalId, documentId, parent, sortOrder, publishedAtMs } = input
  checkSchedule(input, problems)
  if (externalId != null && !isExternalId(externalId)) {
    const message = `must be a text of 1 to ${LONGEST_EXTERNAL_ID} characters`
    problems.add(['externalId'], 'type', message)
  }
  if (documentId !== undefined && !isUuid(documentId)) {
    problems.add(['documentId'], 'uuid', 'must be a UUID')
  }
  if (parent != null && !isUuid(parent)) {
    problems.add(['parent'], 'uuid', 'must be a documentId or null')
  }
  if (sortOrder !== undefined && !Number.isSafeInteger(sortOrder)) {
    problems.add(['sortOrder'], 'type', 'must be an integer')
  }
  if (publishedAtMs !== undefined && !Number.isSafeInteger(publishedAtMs)) {
    problems.add(['publishedAt'], 'datetime', 'must be a time')
  }
}

function checkSchedule({ publishAtMs, unpublishAtMs }: EntryInput, problems: Problems) {
  for (const [name, ms] of Object.entries({
    publish_at: publishAtMs,
    unpublish_at: unpublishAtMs,
  })) {
    if (ms != null && !Number.isSafeInteger(ms)) problems.add([name], 'datetime', 'must be a time')
  }
  if (publishAtMs == null || unpublishAtMs == null || publishAtMs < unpublishAtMs) return
  problems.add(['unpublish_at'], 'min', 'must be later than publish_at')
}

function isExternalId(text: unknown): boolean {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_EXTERNAL_ID) return false
  return isStorableText(text)
}

async function hashed(
  set: FieldSet,
  parsed: ParsedBody,
  passwords: Pick<Passwords, 'hash'>,
): Promise<ParsedBody> {
  const scalars = new Map<number, ParsedScalar>(parsed.scalars)
  const parts = new Map(parsed.parts)
  for (const attribute of set.attributes) {
    const value = scalars.get(attribute.no)?.value
    if (attribute.type === 'password' && typeof value === 'string') {
      scalars.set(attribute.no, { value: await passwords.hash(value) })
    }
    const list = parts.get(attribute.no)
    if (!list) continue
    const done = list.map(async (part) => ({
      ...part,
      body: await hashed(part.component, part.body, passwords),
    }))
    parts.set(attribute.no, await Promise.all(done))
  }
  return { ...parsed, scalars, parts }
}
