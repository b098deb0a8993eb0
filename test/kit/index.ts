// What tests share: real services, whole servers as child processes, local sites and sinks.

export { runBeside } from './beside.ts'
export { startBrowser } from './browser.ts'
export { ADMIN_KEY, type Answer, createCalls, type Sent } from './calls.ts'
export { linkPackages } from './checkout.ts'
export { assertAnsweredAlike, contentSuite, relationTo } from './content.ts'
export { testPostgres, testRedis } from './databases.ts'
export { assertDescribed } from './described.ts'
export {
  type DatabaseKind,
  eachDatabase,
  emptyDatabase,
  openTestDatabase,
  silentLog,
  type TestDatabase,
  temporaryDirectory,
} from './each-database.ts'
export { createEchoService, type Echoed } from './echo.ts'
export { type Family, parseExposition } from './exposition.ts'
export { followDocument } from './follow-document.ts'
export {
  cmsErrors,
  type ErrorShape,
  gatewayErrors,
  type HostileAnswer,
  type HostileTarget,
  houseErrors,
  jsonApiErrors,
  oauthErrors,
  problemErrors,
  sendHostile,
} from './hostile.ts'
export { listenersOn } from './listeners.ts'
export { residentMib } from './memory.ts'
export * as cmsModel from './models/cms.ts'
export { manyTypes } from './models/many-types.ts'
export * as pagesModel from './models/pages.ts'
export * as restModel from './models/rest.ts'
export { type Srv, startNameServer } from './name-server.ts'
export { startNodes, startPair, type TestNodes } from './nodes.ts'
export { machinePath, otherNode } from './other-node.ts'
export { needPrograms } from './packages.ts'
export { freePort } from './ports.ts'
export { assertPrompt, promptly, slowness } from './prompt.ts'
export { type RabbitServer, startRabbit } from './rabbitmq.ts'
export { createRequestFuzzer } from './request-fuzzer.ts'
export { SEED_MASTER_KEY, seedSubscriptions } from './seed-webhooks.ts'
export {
  beginMinute,
  emptyInstallation,
  installation,
  runEntrepot,
  shareServer,
  startServer,
  type TestServer,
} from './server.ts'
export {
  type NginxServer,
  type RedisServer,
  startNginx,
  startRedis,
} from './services.ts'
export { assertShown } from './shown.ts'
export { type SmtpSink, startSmtp } from './smtp.ts'
export { tell } from './tell.ts'
export { until } from './wait.ts'
