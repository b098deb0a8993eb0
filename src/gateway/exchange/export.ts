/** The stored configuration as files: for another installation of ours, or for the modelled gateway. */
import type { Database } from '#db'
import type { SecretBox } from '#secrets'
import { maskAll } from '../admin/render.ts'
import { createStore } from '../admin/store.ts'
import type { GatewayTables } from '../admin/tables.ts'
import { loadPlugins } from '../plugins/load.ts'
import { describeResources } from '../resources/descriptions.ts'
import { renderApisix } from './apisix/files.ts'
import { toApisix } from './apisix/translate.ts'
import { type Item, type Note, sortItems, withId } from './items.ts'

export type ExportForm = 'entrepot' | 'apisix'

interface ExportDeps {
  readonly db: Database
  readonly box: SecretBox
  readonly form: ExportForm
  readonly withSecrets: boolean
  /** Of our own API, as the other gateway reaches it. */
  readonly apiUrl: string
}

export interface ExportFile {
  readonly name: string
  readonly text: string
  readonly isProgram?: boolean
}

export interface Exported {
  /** The first is the configuration itself. */
  readonly files: readonly [ExportFile, ...ExportFile[]]
  /** What the other gateway has no equal for, or does in another way. */
  readonly notes: readonly Note[]
  /** How many secrets are masked. */
  readonly masked: number
}

/** Private keys, which nobody is shown over HTTP, are part of it when secrets are wanted: the master key is at hand. */
export async function exportConfiguration(deps: ExportDeps): Promise<Exported> {
  const { items, masked } = await readItems(deps)
  if (deps.form === 'apisix') {
    const { items: translated, notes } = toApisix(items, deps.apiUrl)
    return { files: await renderApisix(translated, notes, masked), notes, masked }
  }
  const { renderYaml } = await import('#yaml')
  const lists = Map.groupBy(items, ({ kind }) => kind)
  const document = Object.fromEntries([...lists].map(([kind, list]) => [kind, list.map(withId)]))
  return { files: [{ name: 'gateway.yaml', text: renderYaml(document) }], notes: [], masked }
}

async function readItems({ db, box, withSecrets }: ExportDeps) {
  const descriptions = describeResources(loadPlugins())
  const reader = db.main.reader.$pickTables<keyof GatewayTables>()
  let masked = 0
  const items = (await createStore(box).findAll(reader)).map(({ kind, id, value }): Item => {
    const secrets = descriptions.get(kind)?.secrets(value) ?? []
    if (withSecrets || secrets.length === 0) return { kind, id, value }
    masked += secrets.length
    return { kind, id, value: maskAll(value, secrets) }
  })
  return { items: sortItems(items), masked }
}
