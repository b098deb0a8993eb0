import { actorOf } from '#access'
import type { MediaFile } from '#content'
import { behind, COMPONENT_MEMBER } from '#content-dialect'
import { type FileInfo, type Form, fieldOf, withForm } from '#content-media'
import type { ContentModel, ContentType, FieldSet } from '#content-model'
import { componentsIn } from '#content-model'
import type { Tx } from '#db'
import { parseJson } from '#http'
import { type Actor, DomainError, hasAccess, type Issue, invalid } from '#kernel'
import type { CmsDeps } from '../deps.ts'
import { isRaw, type Raw } from '../query/brackets.ts'
import type { Context } from '../request.ts'
import { type Body, fault, missingData, parseBody } from './parse.ts'

const PREFIX = 'files.'

/** A body that can be changed: files are put into it before it is stored. */
type Values = Record<string, unknown>

/**
 * Reads the body, JSON or a form, and stores it by `write`. Files of a form become files of the
 * store in the transaction of the entry; when it fails they are gone.
 */
export async function withBody<T>(
  { content, transaction }: CmsDeps,
  { request, type, model }: Context,
  write: (body: Body, tx: Tx | undefined) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) return write(parseBody(request.body, type, model), undefined)
  return withForm(request, content.media, (form) => {
    const body = parseBody({ data: parseJsonField(form, 'data') }, type, model)
    return transaction(undefined, async (tx) => write(await withFiles(body, form, tx), tx))
  })

  async function withFiles(body: Body, { files }: Form, tx: Tx): Promise<Body> {
    const values: Values = structuredClone({ ...body.values })
    const kept = new Map<string, MediaFile[]>()
    for (const { field, received } of files) {
      const file = await content.media.keep(uploaderOf(request), received, {}, tx)
      kept.set(field, [...(kept.get(field) ?? []), file])
    }
    for (const [field, found] of kept) attach(values, field, found, type, model)
    return { ...body, values }
  }
}

/** Files are for whoever may upload them; a form of the public holds values only. */
function uploaderOf(request: Context['request']): Actor {
  const actor = actorOf(request)
  if (hasAccess(actor, 'write')) return actor
  throw new DomainError('forbidden', 'forbidden', 'Uploading files needs write access', {
    facts: { required: 'write' },
  })
}

/** The text of a form's field as JSON; undefined when the field was not sent. */
function parseJsonField(form: Form, name: string): unknown {
  const text = fieldOf(form, name)
  if (text === undefined || text === '') return undefined
  return parseJson(Buffer.from(text))
}

/** `files.cover` or `files.blocks.0.image`, in zones likewise: what was sent replaces what the attribute holds. */
function attach(
  values: Values,
  field: string,
  files: readonly MediaFile[],
  type: ContentType,
  model: ContentModel,
): void {
  if (!field.startsWith(PREFIX)) throw unknownField(field)
  put(values, type, field.slice(PREFIX.length).split('.'))

  function put(into: Values, set: FieldSet, [name = '', ...rest]: readonly string[]): void {
    const attribute = set.attribute.get(name)
    const target = attribute && behind(model, attribute)
    if (attribute?.type === 'media' && rest.length === 0) {
      into[name] = attribute.multiple ? files.map(({ id }) => id) : onlyOne(files, field)
      return
    }
    const [index = '', ...inner] = rest
    const held = Object.hasOwn(into, name) ? into[name] : undefined
    if (attribute?.type === 'dynamiczone') {
      const element = elementAt(held, index, field)
      const kinds = componentsIn(model, attribute)
      const kind = kinds.find(({ uid }) => uid === element[COMPONENT_MEMBER])
      if (!kind) throw noElement(field)
      put(element, kind, inner)
      return
    }
    if (attribute?.type !== 'component' || typeof target !== 'object') throw unknownField(field)
    if (attribute.repeatable) put(elementAt(held, index, field), target, inner)
    else put(elementOf(held, field), target, rest)
  }
}

/** Only a component of the same request: one that is not in it would be removed by this very write. */
function elementAt(list: unknown, index: string, field: string): Values {
  if (!Array.isArray(list)) throw noElement(field)
  return elementOf(/^\d+$/.test(index) ? list[Number(index)] : undefined, field)
}

function elementOf(value: unknown, field: string): Values {
  if (!isRaw(value)) throw noElement(field)
  const element: Values = value
  return element
}

function onlyOne(files: readonly MediaFile[], field: string): number {
  const [file, ...more] = files
  if (!file) throw missingData()
  if (more.length > 0) throw fault(field, `${field} takes one file`)
  return file.id
}

function noElement(field: string) {
  return fault(field, `${field} names a component that is not in data`)
}

function unknownField(field: string) {
  const message = `${field} is not a media attribute; files are sent as files.<attribute>`
  return invalid([{ path: [field], rule: 'unknown_field', message }])
}

const MAX_NAME_LENGTH = 255
const MAX_TEXT_LENGTH = 10_000

/**
 * `fileInfo` of a form: an object for one file, for several a list, or a part for each in the order of the files;
 * other members are ignored.
 */
export function parseFileInfos({ fields }: Form, files: number): readonly FileInfo[] {
  const parts = (fields.get('fileInfo') ?? []).map((text) =>
    text === '' ? null : parseJson(Buffer.from(text)),
  )
  const [first] = parts
  const list = parts.length === 1 && Array.isArray(first) ? first : parts
  if (list.length > files) {
    const message = `fileInfo describes ${list.length} files, but ${files} can be described: send one for each file`
    throw invalid([issue([], message)])
  }
  const issues: Issue[] = []
  const infos = list.map((item, at) => {
    if (item === null) return {}
    if (isRaw(item)) return parseInfo(item, at, issues)
    issues.push(issue([at], 'fileInfo must be an object, or a list of objects'))
    return {}
  })
  if (issues.length > 0) throw invalid(issues)
  return infos
}

function parseInfo(raw: Raw, at: number, issues: Issue[]): FileInfo {
  const { name, alternativeText, caption, folder } = raw
  if (isGiven(folder) && !(isText(folder, MAX_NAME_LENGTH) && String(folder).startsWith('/'))) {
    issues.push(issue([at, 'folder'], 'folder must be a path that begins with /, such as /photos'))
  }
  if (isGiven(name) && !isText(name, MAX_NAME_LENGTH, 1)) {
    issues.push(issue([at, 'name'], `name must be a text of 1 to ${MAX_NAME_LENGTH} characters`))
  }
  for (const [member, value] of Object.entries({ alternativeText, caption })) {
    if (!isGiven(value) || isText(value, MAX_TEXT_LENGTH)) continue
    const message = `${member} must be a text of at most ${MAX_TEXT_LENGTH} characters`
    issues.push(issue([at, member], message))
  }
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText: textOrNull(alternativeText) }),
    ...(caption === undefined ? {} : { caption: textOrNull(caption) }),
    ...(folder === undefined ? {} : { folder: textOrNull(folder) ?? '/' }),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isText(value: unknown, maxLength: number, minLength = 0): boolean {
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false
  return value.length >= minLength && value.length <= maxLength
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function issue(path: readonly (string | number)[], message: string): Issue {
  return { path: ['fileInfo', ...path], rule: 'invalid', message }
}
