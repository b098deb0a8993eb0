import { isObject } from '#kernel'

/** Members whose own members are names of the shop's, which stay as they are. */
const OPAQUE = new Set(['value', 'additional_information'])

/** `typeId`, `TypeId` and `type_id` are the same property (contract §2). */
export function toSnakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

/** A body with all its property names in snake_case, in lists and objects inside it too. */
export function withSnakeNames(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withSnakeNames)
  if (!isObject(given)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const snake = toSnakeCase(name)
      return [snake, OPAQUE.has(snake) ? value : withSnakeNames(value)]
    }),
  )
}
