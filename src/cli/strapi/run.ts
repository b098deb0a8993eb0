import { isObject, OperatorError } from '#kernel'
import type { Output } from '../command.ts'
import { type Definitions, readDefinitions } from '../types/read.ts'
import { importEntries, nameOf } from './entries.ts'
import { importFiles } from './files.ts'
import { createPeer, messageOf, type Peer } from './http.ts'
import { isReadable, pairUp } from './pairing.ts'
import { createReader, type Locale, type Reader } from './read.ts'
import { type Json, readSchemaIn, readSchemaOf, type SourceModel } from './schema.ts'
import { createTally } from './tally.ts'

export interface StrapiImport {
  readonly from: string
  readonly token: string
  /** The directory of the project, when its schemas are not to be asked of the server. */
  readonly schema: string | undefined
  readonly url: string
  readonly key: string
  readonly dryRun: boolean
}

/** Moves types, languages, files and entries; answers how many things could not be brought over. */
export async function runStrapiImport(job: StrapiImport, output: Output): Promise<number> {
  const source = createPeer(job.from, { authorization: `Bearer ${job.token}` })
  const target = createPeer(job.url, { 'x-api-key': job.key })
  const model = await (job.schema === undefined ? readSchemaOf(source) : readSchemaIn(job.schema))
  const reader = createReader(source)
  const locales = await reader.locales()
  await tellPlan({ target, reader, model, locales, output })
  if (job.dryRun) {
    output.out('Nothing was changed.')
    return 0
  }
  await importLocales(target, locales)
  await importSchemas(target, model, false)
  const definitions: Definitions = await readDefinitions(job)
  const pairing = pairUp(model, definitions)
  const tally = createTally(output)
  await importFiles({ source, target, reader, tally, output })
  await importEntries({ target, reader, pairing, locales, tally, output })
  return tally.failed()
}

interface Planning {
  readonly target: Peer
  readonly reader: Reader
  readonly model: SourceModel
  readonly locales: readonly Locale[]
  readonly output: Output
}

/** Before anything is written: what there is, and what of it has no place here. */
async function tellPlan({ target, reader, model, locales, output }: Planning): Promise<void> {
  for (const type of model.types) {
    const own = type.isLocalized ? locales.map(({ code }) => code) : [null]
    for (const locale of own) {
      output.out(`${nameOf({ type, locale })}: ${await reader.count(type, locale)} entries`)
    }
  }
  const notes = await importSchemas(target, model, true)
  const left = [...notes.map(sentenceOf), ...unreadable(model)]
  if (left.length > 0) output.out('Not brought over as it is:')
  for (const sentence of [...left, ...ALWAYS]) output.out(`  ${sentence}`)
}

const ALWAYS = [
  'users, their roles and passwords, and API tokens: make keys with "entrepot keys issue"',
  'folders of files: the API of the source does not show them',
]

function sentenceOf({ contentType, component, attribute, message }: Json): string {
  return `${[contentType ?? component, attribute].filter(Boolean).join('.')} ${message}`
}

/** Values that the API of the source keeps to itself. */
function unreadable({ types, components }: SourceModel): string[] {
  const owners = [
    ...types.map(({ singularName, attributes }) => [singularName, attributes] as const),
    ...components,
  ]
  return owners.flatMap(([owner, attributes]) =>
    Object.entries(attributes)
      .filter(([, attribute]) => !isReadable(attribute))
      .map(([name]) => `${owner}.${name} comes without values: the source shows them to nobody`),
  )
}

async function importSchemas(
  target: Peer,
  { schemas }: SourceModel,
  isDry: boolean,
): Promise<readonly Json[]> {
  const path = `/api/v1/content-types/import${isDry ? '?dry_run=true' : ''}`
  const answer = await target.send('POST', path, schemas)
  const data = isObject(answer.body) ? answer.body['data'] : undefined
  if (isObject(data) && Array.isArray(data['notes'])) return data['notes'].filter(isObject)
  if (answer.status === 401 || answer.status === 403) {
    throw new OperatorError(
      `${target.url} refused the key: types are made by keys of level admin; make one with "entrepot keys issue --admin"`,
    )
  }
  throw new OperatorError(`${target.url} does not take the types: ${messageOf(answer)}`)
}

/** The default language of the source becomes the one here. */
async function importLocales(target: Peer, locales: readonly Locale[]): Promise<void> {
  const answer = await target.get('/api/v1/locales')
  const data = isObject(answer.body) ? answer.body['data'] : undefined
  const known = Array.isArray(data) ? data.filter(isObject) : []
  for (const { code, name, isDefault } of locales) {
    const own = known.find((each) => String(each['code']).toLowerCase() === code.toLowerCase())
    if (own && (own['isDefault'] === true || !isDefault)) continue
    const sent = own
      ? await target.send('PATCH', `/api/v1/locales/${own['code']}`, { isDefault })
      : await target.send('POST', '/api/v1/locales', { code, name, isDefault })
    if (sent.status >= 400) {
      throw new OperatorError(
        `${target.url} does not take the language ${code}: ${messageOf(sent)}`,
      )
    }
  }
}
