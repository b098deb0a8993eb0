import type { ASTNode } from 'graphql'

/** What a rule of the language finds wrong in a document. */
export interface Fault {
  readonly message: string
  readonly nodes: readonly ASTNode[]
}

const ENOUGH = new Error('enough faults were found')

/** Collects faults of a document. The search ends with the last that is wanted: more cost, and tell nobody more. */
export function collectFaults(most: number, search: (add: AddFault) => void): readonly Fault[] {
  const found: Fault[] = []
  try {
    search((message, ...nodes) => {
      found.push({ message, nodes })
      if (found.length >= most) throw ENOUGH
    })
  } catch (error) {
    if (error !== ENOUGH) throw error
  }
  return found
}

export type AddFault = (message: string, ...nodes: readonly ASTNode[]) => void

/** Of those that share a name every one but the first is a fault. */
export function checkUnique<Node extends ASTNode>(
  nodes: readonly Node[] | undefined,
  nameOf: (node: Node) => string,
  message: (name: string) => string,
  add: AddFault,
): void {
  if (!nodes || nodes.length < 2) return
  const first = new Map<string, Node>()
  for (const node of nodes) {
    const name = nameOf(node)
    const other = first.get(name)
    if (other) add(message(name), other, node)
    else first.set(name, node)
  }
}
