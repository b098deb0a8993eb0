import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { useGo } from '../../location.ts'
import { tellDone } from '../../parts/notify.ts'
import type { Impact } from './change.tsx'
import { carryOut, dryRun, reorder } from './definition-change.ts'

interface Planned {
  readonly method: 'PATCH' | 'DELETE'
  readonly body?: object
  readonly impacts: readonly Impact[]
}

interface Change {
  /** Of the definition in the API. */
  readonly path: string
  readonly what: 'type' | 'component'
  readonly body: object
  /** The names of its attributes in the order they are to have; undefined: the order stays. */
  readonly order: readonly string[] | undefined
  /** The screen of what is called otherwise now. */
  readonly movedTo?: string | undefined
  /** The definition is another one now. */
  onChanged(): void
}

/** A change of a definition is made after its dry run was seen; whoever deletes goes back to all types. */
export function usePlannedChange({ path, what, body, order, movedTo, onChanged }: Change) {
  const [planned, setPlanned] = useState<Planned>()
  const [fault, setFault] = useState<unknown>()
  const client = useQueryClient()
  const go = useGo()
  const mayLeave: RefObject<boolean> = useRef(false)
  return { planned, fault, plan, run, mayLeave, cancel: () => setPlanned(undefined) }

  async function plan(method: Planned['method']) {
    setFault(undefined)
    try {
      const sent = method === 'PATCH' ? { body } : {}
      setPlanned({ method, ...sent, impacts: await dryRun(path, method, sent.body) })
    } catch (error) {
      setFault(error)
    }
  }

  async function run({ method, body: sent }: Planned) {
    const definition = await carryOut(path, method, sent)
    if (definition && order) await reorder(path, definition, order)
    mayLeave.current = true
    await client.invalidateQueries({ queryKey: ['content-model'] })
    setPlanned(undefined)
    tellDone(method === 'PATCH' ? `The ${what} is changed` : `The ${what} is gone`)
    if (method === 'DELETE') go('/types')
    else if (movedTo !== undefined) go(movedTo)
    else onChanged()
  }
}
