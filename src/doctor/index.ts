/**
 * Looks at what an installation stands on without changing it, and says what to do about each fault. Every
 * check returns findings and never throws for what it finds.
 */
export { checkBackups } from './backups.ts'
export { checkCertificate, checkKeyPair } from './certificate.ts'
export { checkChromium } from './chromium.ts'
export { checkClock } from './clock.ts'
export { checkDataDirectory } from './data-directory.ts'
export { type Finding, fault, ok, reasonOf, warning } from './finding.ts'
export { checkRedis } from './redis.ts'
