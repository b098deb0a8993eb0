import type { StartItem } from '#content'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered } from '../errors.ts'
import type { Asked } from '../request.ts'
import { parseUuid } from '../target/delivered.ts'

/** The start item that the header names (contract §5); undefined when it names none. */
export async function findStartItem(
  { content }: Pick<DeliveryDeps, 'content'>,
  { request, tree }: Asked,
): Promise<StartItem | undefined> {
  const header = request.headers['start-item']
  if (typeof header !== 'string' || header.trim() === '') return undefined
  const items = await content.tree.startItems(tree)
  const found = findNamed(items, header.trim())
  if (!found) throw notDelivered('The Start-Item could not be found')
  return found
}

/** By id, or by path whatever its case and slashes. */
export function findNamed(items: readonly StartItem[], name: string): StartItem | undefined {
  const id = parseUuid(name)
  if (id !== undefined) return items.find((item) => item.id === id)
  const path = bare(decode(name))
  return items.find((item) => bare(item.path) === path)
}

function bare(path: string): string {
  return path
    .replaceAll(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase()
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
