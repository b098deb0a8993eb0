import type { Context } from './context.ts'
import { lookUp, variableFault } from './variables.ts'

/** The groups of a regular expression that matched, the whole match first. */
export type Groups = readonly (string | null)[]

export const NO_GROUPS: Groups = []

type Part = string | { readonly group: number } | { readonly variable: string }

/** A text with `$name`, `${name}`, and `$1`, `${1}` for groups; `\$` is a dollar sign. */
export interface Template {
  /** Nothing in it depends on the request. */
  readonly isConstant: boolean
  /** Absent variables and groups become nothing. */
  render(ctx: Context, groups?: Groups): string
}

/** Values are put in once and never looked at again: what a client sends is no template. */
export function compileTemplate(text: string): Template {
  const parts = parseTemplate(text)
  if (parts.every((part) => typeof part === 'string')) {
    const constant = parts.join('')
    return { isConstant: true, render: () => constant }
  }
  return { isConstant: false, render }

  function render(ctx: Context, groups: Groups = NO_GROUPS): string {
    let out = ''
    for (const part of parts) {
      if (typeof part === 'string') out += part
      else if ('group' in part) out += groups[part.group] ?? ''
      else out += lookUp(ctx, part.variable) ?? ''
    }
    return out
  }
}

/** Why a text cannot be a template; null when it can. `groups` is how many there are to name. */
export function templateFault(text: string, groups = 0): string | null {
  for (const part of parseTemplate(text)) {
    if (typeof part === 'string') continue
    if ('variable' in part) {
      const message = variableFault(part.variable)
      if (message) return `${message}; a dollar sign itself is written \\$`
    } else if (part.group > groups) {
      return `there is no group $${part.group} to put in; a dollar sign itself is written \\$`
    }
  }
  return null
}

/** The variables that a template names. */
export function variablesIn(text: string): string[] {
  return parseTemplate(text).flatMap((part) =>
    typeof part === 'object' && 'variable' in part ? [part.variable] : [],
  )
}

/** The text that stands in a template whatever the request is. */
export function literalsOf(text: string): string {
  return parseTemplate(text)
    .filter((part) => typeof part === 'string')
    .join('')
}

const NAMED = /\\\$|\$(?:\{(\w+)\}|(\d+)|([A-Za-z_]\w*))/g

/** The texts, variables and groups of a template, in their order. */
export function parseTemplate(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const found of text.matchAll(NAMED)) {
    if (found.index > at) parts.push(text.slice(at, found.index))
    at = found.index + found[0].length
    const name = found[1] ?? found[2] ?? found[3]
    if (name === undefined) parts.push('$')
    else parts.push(/^\d+$/.test(name) ? { group: Number(name) } : { variable: name })
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}
