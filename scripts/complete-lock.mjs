// npm leaves packages for other platforms out of the lock file when the registry it asks does not have
// them, and `npm ci` then refuses the file everywhere. This adds what is missing: name, version and
// platform are all that npm needs to pass over a package, or to fetch it where it fits.
//   npm run lock              completes package-lock.json and those of the benchmarks' peers
//   npm run lock -- --check   only says whether they are complete
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony', 'netbsd', 'sunos']
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32', 'arm']
const SYSTEM_ALIASES = { windows: 'win32' }

const FILES = [
  'package-lock.json',
  'bench/peers/package-lock.json',
  'bench/peers/strapi/package-lock.json',
]

for (const name of FILES) complete(name, fileURLToPath(new URL(`../${name}`, import.meta.url)))

function complete(name, file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = findMissing(lock.packages)
  if (missing.length === 0) return
  if (process.argv.includes('--check')) {
    console.error(`${name} lacks ${missing.length} packages of other platforms, such as`)
    console.error(`${missing[0].place}. Run "npm run lock" and commit the file.`)
    process.exit(1)
  }
  for (const { place, entry } of missing) lock.packages[place] = entry
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`added ${missing.length} packages of other platforms to ${name}`)
}

function findMissing(packages) {
  return Object.entries(packages).flatMap(([path, owner]) =>
    Object.entries(owner.optionalDependencies ?? {})
      .filter(([name, version]) => isForeign(name) && !isThere(packages, path, name, version))
      .map(([name, version]) => ({
        place: placeFor(packages, path, name),
        entry: toEntry(name, version, owner),
      })),
  )
}

/** As Node looks for it from the owner upwards. */
function isThere(packages, path, name, version) {
  const found = [`${path}/node_modules/${name}`, `node_modules/${name}`].find(
    (place) => packages[place],
  )
  return found !== undefined && packages[found].version === bare(version)
}

/** At the top, unless another version is there. */
function placeFor(packages, path, name) {
  const top = `node_modules/${name}`
  return packages[top] ? `${path}/${top}` : top
}

function bare(version) {
  return version.replace(/^[~^]/, '')
}

function toEntry(name, version, owner) {
  const { system, processor } = platformOf(name)
  return {
    version: bare(version),
    ...(processor ? { cpu: [processor] } : {}),
    ...(owner.dev ? { dev: true } : {}),
    optional: true,
    ...(system ? { os: [system] } : {}),
  }
}

function isForeign(name) {
  const { system, processor } = platformOf(name)
  return system !== undefined || processor !== undefined
}

function platformOf(name) {
  const words = name.split(/[/-]/).map((word) => SYSTEM_ALIASES[word] ?? word)
  return {
    system: SYSTEMS.find((each) => words.includes(each)),
    processor: PROCESSORS.find((each) => words.includes(each)),
  }
}
