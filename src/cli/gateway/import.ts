import { isObject } from '#kernel'
import type { Output } from '../command.ts'
import { type Finding, readAll, replaceAll, type Server, validate } from './administration.ts'
import { compare, type Difference } from './compare.ts'
import { nameToLeaveOut, withoutKinds, withoutMember } from './leave-out.ts'
import type { ConfigurationFile, Entry } from './read-file.ts'

export interface GatewayImport extends Server {
  readonly file: ConfigurationFile
  readonly isDryRun: boolean
  readonly isReplacing: boolean
  /** Names of what may be left out. */
  readonly leftOut: ReadonlySet<string>
}

type Lists = ReadonlyMap<string, readonly Entry[]>

const MAX_SHOWN = 50
/** These are found by a name that has to be in the file. */
const NAMED = ['consumers', 'credentials', 'plugin_metadata']

/** Whether the configuration is stored, or could be when it is a dry run. */
export async function runGatewayImport(job: GatewayImport, output: Output): Promise<boolean> {
  const met = new Set<string>()
  const checked = await check(job, withoutKinds(job.file.lists, job.leftOut, met), met)
  for (const name of job.leftOut) {
    if (!met.has(name)) output.err(`--leave-out ${name}: nothing of this name had to be left out`)
  }
  if (checked.findings.length > 0) return refuse(job, checked, output)

  const document = toDocument(checked.lists)
  const difference = compare(await readAll(job), document)
  show(difference, output)
  if (difference.removed.length > 0 && !job.isReplacing) {
    output.err(
      'Nothing was stored: what stands with - is not in the file. Say --replace to remove it.',
    )
    return false
  }
  if (job.isDryRun) return true
  const findings = await replaceAll(job, document)
  return findings.length === 0 || refuse(job, { ...checked, findings }, output)
}

/** With what may be left out taken away, until nothing more is found or something has to be mended. */
async function check(job: GatewayImport, given: Lists, met: Set<string>) {
  let lists = given
  for (;;) {
    const findings = await validate(job, toDocument(lists))
    // From the end, because what is taken out of a list moves what stands behind it.
    const rest = findings.reduceRight<Lists>(
      (kept, finding) => withoutMember(kept, finding, job.leftOut, met) ?? kept,
      lists,
    )
    if (rest === lists) return { lists, findings }
    lists = rest
  }
}

/** The lists as `/configs` takes them: there every object has an id. */
function toDocument(lists: Lists): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    [...lists].map(([list, entries]) => [
      list,
      NAMED.includes(list) ? entries.map(({ value }) => value) : entries.map(withId),
    ]),
  )
}

/** By its position, so that the same file gives the same ids. */
function withId({ at, value }: Entry): unknown {
  return isObject(value) && value['id'] === undefined ? { id: `item-${at + 1}`, ...value } : value
}

function show({ created, changed, unchanged, removed }: Difference, { out }: Output): void {
  const lines = [
    ...created.map((name) => `+ ${name}`),
    ...changed.map((name) => `~ ${name}`),
    ...removed.map((name) => `- ${name}`),
    `${created.length} new, ${changed.length} changed, ${unchanged.length} unchanged, ${removed.length} removed`,
  ]
  out(lines.join('\n'))
}

function refuse(
  { file }: GatewayImport,
  { lists, findings }: { readonly lists: Lists; readonly findings: readonly Finding[] },
  { err }: Output,
): false {
  for (const finding of findings.slice(0, MAX_SHOWN)) {
    const { list, id, index, path, message } = finding
    const isOfList = path.length === 0 && nameToLeaveOut(finding) === list
    const at = isOfList ? undefined : lists.get(list)?.[index]?.at
    const place = file.placeOf(at === undefined ? [list] : [list, at, ...path])
    const subject = [`${list}${id === '' ? '' : `/${id}`}`, path.join('.')]
      .filter(Boolean)
      .join(' ')
    err(`${place}: ${subject}: ${message}`)
  }
  if (findings.length > MAX_SHOWN) err(`... and ${findings.length - MAX_SHOWN} more`)
  const names = new Set(findings.map(nameToLeaveOut).filter((name) => name !== undefined))
  if (names.size > 0) {
    err(`What is not understood here can be left out: --leave-out ${[...names].join(',')}`)
  }
  err('Nothing was stored.')
  return false
}
