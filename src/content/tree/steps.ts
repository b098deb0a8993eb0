import { slugOf } from '../entries/slug.ts'

const ASCII = /^[\x20-\x7e]*$/

/**
 * The steps of a path as callers write it: slashes at the ends and repeated ones do not count, nor
 * does case. Slugs are ASCII, so a step in another script is what its slug would be made of.
 */
export function stepsOf(path: string): readonly string[] {
  return path
    .normalize('NFC')
    .split('/')
    .filter((step) => step !== '')
    .map((step) => (ASCII.test(step) ? step.toLowerCase() : slugOf(step) || step))
}
