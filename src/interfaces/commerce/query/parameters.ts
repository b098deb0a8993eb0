import { refused } from '#commerce'
import { pairsIn, readPair } from '#content-dialect'
import { queryTextOf } from '#http-text'
import { toSnakeCase } from '../body/names.ts'

type Request = Parameters<typeof queryTextOf>[0]

const LIST = /^\[\d*\]$/

/** Texts of a query that are not percent-encoded as they should be are refused. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const parameters = { value: text.slice(0, 100) }
    throw refused({ message: '"%value" is not correctly percent-encoded.', parameters })
  }
}

/** A parameter of one value, by its name in snake or camel case; '' when it is absent. */
export function oneIn(request: Request, name: string): string {
  const [first, ...others] = given(request, name)
  if (first?.brackets || others.length > 0) throw malformed(name, 'one value')
  return first?.value ?? ''
}

/** A parameter that may be a list, `storeCodes[]=a&storeCodes[]=b` as well as `storeCodes=a`. */
export function listIn(request: Request, name: string): readonly string[] {
  const all = given(request, name)
  if (all.some(({ brackets }) => brackets !== '' && !LIST.test(brackets))) {
    throw malformed(name, 'a list of values')
  }
  return all.flatMap(({ value }) => (value === '' ? [] : [value]))
}

function given(request: Request, name: string) {
  return pairsIn(queryTextOf(request)).flatMap((pair) => {
    const { name: own, value } = readPair(pair, decode)
    const end = own.indexOf('[')
    const root = end === -1 ? own : own.slice(0, end)
    return toSnakeCase(root) === name ? [{ brackets: own.slice(root.length), value }] : []
  })
}

function malformed(fieldName: string, type: string) {
  return refused({
    message: '"%fieldName" must be given as %type.',
    parameters: { fieldName, type },
  })
}
