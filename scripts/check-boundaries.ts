// Checks who imports whom. Node already refuses `#content/store`, because the doors in package.json
// have no wildcard; what Node cannot see is a relative path into another module.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  DIALECT_FILES,
  DIALECT_FOLDERS,
  isTest,
  MAY_IMPORT,
  MOST_NAMES,
  mayImport,
  mayUse,
  moduleOf,
  ROOT_MODULES,
} from './boundaries/modules.ts'
import { codeOnly, type Found, findAll, importsOf, namesShown } from './boundaries/source.ts'

/** Modules that suites under test/conformance may look into. */
const SHOWN_WITHIN = ['kernel', 'content']

const CHECKED = '{src,bin,migrations,client,examples,test}/**/*.ts'
const ENVIRONMENT = /\bprocess\s*\.\s*env\b/g
const CAST = /[\w)\]}>]\s+as\s+(?!const\b)[\w{([]/g
/** Types are no matter. */
const NODE_HTTP = /^import (?!type\b)[^'"]*?['"]node:http['"]/gm
/** Other uses of the word: names of imports, and keys of mapped types. */
const RENAMING = /\b(?:import|export)\b[^;()=]*?[{*][^;()=]*?(?:\}|\bfrom\b)|\[\w+ in keyof \w+ as/g

/** Package.json's `imports`: door → file, both as written there. */
type Doors = ReadonlyMap<string, string>

/** All findings of the project in `root` as `file:line: what and why`; an empty list is good. */
export function checkBoundaries(root: string): string[] {
  const doors = readDoors(root)
  const files = globSync(CHECKED, { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  return [
    ...checkDoors(root, doors),
    ...files.sort().flatMap((file) => checkFile(root, file, doors)),
  ]
}

function readDoors(root: string): Doors {
  const manifest: { imports?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return new Map(Object.entries(manifest.imports ?? {}))
}

function checkDoors(root: string, doors: Doors): string[] {
  return [...doors].flatMap(([door, file]) => {
    if (door.includes('*')) return [`package.json: the door ${door} opens a whole folder`]
    if (!existsSync(join(root, file))) return [`package.json: the door ${door} leads to no file`]
    // What tests share is no part of the product.
    if (!file.startsWith('./src/')) return []
    const { length } = namesShown(readFileSync(join(root, file), 'utf8'))
    if (length <= MOST_NAMES) return []
    return [`${file.slice(2)}:1: the door ${door} shows ${length} names, more than ${MOST_NAMES}`]
  })
}

function checkFile(root: string, file: string, doors: Doors): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const importer = moduleOf(file) ?? ''
  if (!(importer in MAY_IMPORT)) {
    return [`${file}:1: the module ${importer} is not in scripts/boundaries/modules.ts`]
  }
  return [
    ...checkSilhouette(file),
    ...importsOf(source).flatMap((found) => at(found, checkImport(file, found.text, doors))),
    ...checkCode(file, source),
  ]

  function at({ line }: Found, problem: string | undefined): string[] {
    return problem === undefined ? [] : [`${file}:${line}: ${problem}`]
  }
}

/** Who knows one content dialect finds everything in the next. */
function checkSilhouette(file: string): string[] {
  const [, dialect, own, inside] = /^src\/interfaces\/(\w+)\/([^/]+)(\/.*)?$/.exec(file) ?? []
  if (own === undefined) return []
  const name = own.replace(/(\.test)?\.ts$/, '')
  const known = inside === undefined ? DIALECT_FILES : [...DIALECT_FILES, ...DIALECT_FOLDERS]
  if (known.includes(name)) return []
  const names = [...DIALECT_FILES, ...DIALECT_FOLDERS.map((folder) => `${folder}/`)].join(', ')
  return [`${file}:1: ${dialect} has a file that no other dialect has; it belongs into ${names}`]
}

function checkImport(file: string, name: string, doors: Doors): string | undefined {
  if (name.startsWith('#')) return checkDoor(file, name, doors)
  // Data is not code; it may lie anywhere.
  if (name.endsWith('.json')) return undefined
  return name.startsWith('.') ? checkPath(file, name, doors) : undefined
}

function checkDoor(file: string, door: string, doors: Doors): string | undefined {
  const target = doors.get(door)
  if (target === undefined) return `there is no door ${door} in package.json`
  const importer = moduleOf(file) ?? ''
  const imported = moduleOf(target.replace(/^\.\//, '')) ?? ''
  if (imported === importer) {
    const starts = isTest(file) || /-(thread|process)$/.test(door)
    return starts ? undefined : `${door} is this module's own door; use a relative path`
  }
  if (imported === 'test' && isTest(file)) return undefined
  if (!mayImport(importer, imported)) return refusal(importer, imported)
  if (isTest(file) || mayUse(importer, door)) return undefined
  return `${door} is not open to ${importer}; see KERNEL_DOORS in scripts/boundaries/modules.ts`
}

function checkPath(file: string, path: string, doors: Doors): string | undefined {
  const target = posix.join(posix.dirname(file), path)
  const importer = moduleOf(file) ?? ''
  const imported = moduleOf(target)
  if (imported === importer) return undefined
  if (imported === undefined) return `"${path}" leaves the module ${importer}`
  // Tests run the binary and the migrations, which have no door.
  if (importer === 'test' && !target.startsWith('src/')) return undefined
  // A conformance suite runs against every implementation, also those the door does not show, and
  // takes a store apart that no dialect may.
  if (file.startsWith('test/conformance/') && SHOWN_WITHIN.includes(imported)) return undefined
  // Examples find the client where their readers will.
  if (importer === 'examples' && imported === 'client') return undefined
  const isRootFile = target === `src/${imported}.ts` && ROOT_MODULES.includes(imported)
  if (!mayImport(importer, imported)) return refusal(importer, imported)
  if (isRootFile && (ROOT_MODULES.includes(importer) || importer === 'test')) return undefined
  const door = [...doors.keys()].find((name) => name === `#${imported.split('/').at(-1)}`)
  return `"${path}" reaches into the module ${imported}; use its door${door ? ` ${door}` : ''}`
}

function refusal(importer: string, imported: string): string {
  return `${importer} may not import ${imported}; declare what it needs in its deps and let app.ts pass it`
}

/** Tests may read the environment and cast; programs have one place for each. */
function checkCode(file: string, source: string): string[] {
  if (isTest(file) || !/^(src|bin)\//.test(file)) return []
  const code = codeOnly(source).replace(RENAMING, (part) => part.replaceAll(/[^\n]/g, ' '))
  // bin sets what Node itself reads before anything is loaded.
  const mayAsk = file === 'src/config.ts' || file.startsWith('bin/')
  const environment = mayAsk ? [] : findAll(code, ENVIRONMENT)
  const casts = file.startsWith('src/kernel/db/') ? [] : findAll(code, CAST)
  const loading = findAll(source, NODE_HTTP)
  return [
    ...environment.map(({ line }) => `${file}:${line}: process.env is read in src/config.ts only`),
    ...casts.map(
      ({ line }) => `${file}:${line}: a cast outside kernel/db; check the value instead`,
    ),
    ...loading.map(
      ({ line }) => `${file}:${line}: an import of node:http loads undici; take it from nodeHttp()`,
    ),
  ]
}

if (import.meta.main) {
  const findings = checkBoundaries(fileURLToPath(new URL('..', import.meta.url)))
  for (const finding of findings) console.error(finding)
  if (findings.length > 0) process.exit(1)
}
