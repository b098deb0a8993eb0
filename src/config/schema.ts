import Type, { type Static } from 'typebox'
import {
  CENTURY_DAYS,
  CENTURY_SECONDS,
  cron,
  date,
  directories,
  files,
  flag,
  group,
  keyPair,
  networks,
  oneOf,
  origins,
  port,
  prefixes,
  someOf,
  text,
  url,
  whole,
} from './kinds.ts'
import { content, delivery, graphql, jsonapi, limits, scrapers, webhooks } from './live-settings.ts'

const MIB = 1024 * 1024
const RAW_KEY = { pattern: '^sk_[A-Za-z0-9]{48}$', expects: 'sk_ followed by 48 letters or digits' }

/**
 * Every setting there is. The member `gateway.adminKey` is the setting `gateway.admin_key` in the
 * file and `ENTREPOT_GATEWAY_ADMIN_KEY` in the environment. `Type.Optional` ones may be absent.
 */
export const settingsSchema = Type.Object(
  {
    config: Type.Optional(text('settings file instead of ./entrepot.config.json')),
    env: oneOf(['development', 'production', 'test'], 'how strict the server is', {
      derived: 'development while host is a loopback address, else production',
    }),
    host: text('address the API listens on', { default: '127.0.0.1' }),
    port: port('port of the API; 0 takes a free one', { default: 8080 }),
    publicUrl: Type.Optional(url('URL under which clients see the API', ['https', 'http'])),
    trustedProxies: networks('peers whose forwarding headers the API believes', { default: [] }),
    tls: group({
      cert: Type.Optional(
        text(
          'file with the certificate of the API and those above it; the API then speaks https only',
        ),
      ),
      key: Type.Optional(text('file with the private key of that certificate')),
    }),
    roles: someOf(['api', 'gateway', 'worker'], 'what this process does', {
      default: ['api', 'gateway', 'worker'],
    }),
    dataDir: text('directory of database files, uploads, journal and logs', { default: './data' }),
    secretsDir: Type.Optional(
      text('directory of the files that $secret://file/NAME in the gateway stands for'),
    ),
    databaseUrl: Type.Optional(
      url('PostgreSQL database; unset uses SQLite in the data directory', [
        'postgres',
        'postgresql',
      ]),
    ),
    redisUrl: Type.Optional(
      url('Redis for counters and notices between nodes', ['redis', 'rediss']),
    ),
    redisPrefix: text('start of every Redis key, so that installations can share a Redis', {
      default: 'entrepot:',
    }),
    amqpUrl: Type.Optional(url('message queue of bulk work', ['amqp', 'amqps'])),
    masterKey: Type.Optional(
      text('key that encrypts stored secrets; unset uses a key file in the data directory', {
        secret: true,
        minLength: 32,
      }),
    ),
    masterKeyPrevious: Type.Optional(
      text('the master key before the current one, while it is replaced', {
        secret: true,
        minLength: 32,
      }),
    ),
    apiUrl: Type.Optional(url('main API, for a node that is only a gateway', ['https', 'http'])),
    apiSecret: Type.Optional(
      text('secret shared with the main API, for a node that is only a gateway', {
        secret: true,
        minLength: 16,
      }),
    ),
    starter: oneOf(['types', 'demo', 'none'], 'what an empty store is filled with', {
      default: 'types',
    }),
    indexModules: files('modules that add fields to filter and sort by to content delivery', {
      default: [],
    }),
    drainSeconds: whole('longest wait for open requests when stopping', { default: 30, max: 3600 }),
    admin: group({
      key: Type.Optional(text('first admin key', { secret: true, ...RAW_KEY })),
      email: text('e-mail address of the first user', { default: 'admin@localhost' }),
      password: Type.Optional(
        text('password of the first user; unset generates one', { secret: true, minLength: 8 }),
      ),
    }),
    cli: group({
      url: Type.Optional(url('server that commands talk to', ['https', 'http'])),
      key: Type.Optional(text('API key of commands', { secret: true })),
      token: Type.Optional(text('token of the system that an import reads', { secret: true })),
    }),
    log: group({
      level: oneOf(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'least important line that is logged',
        { default: 'info' },
      ),
      to: oneOf(['file', 'stdout'], 'log into the data directory or to standard output', {
        default: 'file',
      }),
    }),
    http: group({
      bodyLimit: whole('largest request body in bytes', { default: MIB, min: 1024 }),
    }),
    cors: group({
      origins: origins('origins whose pages may call the API', { default: ['*'] }),
    }),
    versions: group({
      v1Deprecated: Type.Optional(date('day since which version 1 of the API is deprecated')),
      v1Sunset: Type.Optional(date('day on which version 1 of the API ends')),
      v2Deprecated: Type.Optional(date('day since which version 2 of the API is deprecated')),
      v2Sunset: Type.Optional(date('day on which version 2 of the API ends')),
    }),
    storage: group({
      readers: whole('SQLite reader threads', { default: 2, min: 1, max: 16 }),
      readTimeoutMs: whole('longest indexed read', { default: 5_000, min: 10 }),
      scanTimeoutMs: whole('longest read that scans a whole table', { default: 15_000, min: 10 }),
      connections: whole('most connections of a process to PostgreSQL', {
        ...{ default: 80, min: 20, max: 1_000 },
      }),
    }),
    counters: group({
      capacity: whole('counters held in shared memory', {
        default: 524_288,
        min: 1_024,
        max: 16_777_216,
      }),
      storeTimeoutMs: whole(
        'how long Redis or PostgreSQL may take to count before it is passed over',
        {
          default: 100,
          min: 10,
          max: 10_000,
        },
      ),
    }),
    gateway: group({
      host: text('address the gateway listens on', { derived: 'as host' }),
      port: port('port of the gateway; 0 takes a free one', { default: 9080 }),
      tlsPort: Type.Optional(port('TLS port of the gateway')),
      defaultCertificate: Type.Optional(
        keyPair('certificate and key for names that no stored certificate is for'),
      ),
      threads: whole('gateway threads', {
        derived: 'processor cores - 1, 1 to 4',
        min: 1,
        max: 64,
      }),
      adminKey: Type.Optional(
        text('static key of the gateway administration', { secret: true, minLength: 8 }),
      ),
      adminPrefixes: prefixes('further paths of the gateway administration', { default: [] }),
      trustedProxies: networks('peers whose forwarding headers the gateway believes', {
        default: [],
      }),
      proxyProtocol: networks(
        'peers whose connections to the gateway begin with a header of the PROXY protocol',
        { default: [] },
      ),
      h2c: flag('HTTP/2 on the plain port of the gateway, for clients that begin with it', {
        default: false,
      }),
      logDirs: directories('further directories that file-logger may write to', { default: [] }),
      maxBody: whole('largest request body in bytes, 0 for no limit', { default: 0 }),
      cacheBytes: whole('memory for answers that proxy-cache keeps, over all threads', {
        default: 128 * MIB,
      }),
      drainSeconds: whole('longest wait for open requests when stopping', {
        default: 30,
        max: 3600,
      }),
      metricPrefix: text('first part of every metric name', {
        default: 'gateway_',
        pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$',
        expects: 'letters, digits and _, not starting with a digit',
      }),
      upstreamTlsVerify: flag('check certificates of upstreams unless they say otherwise', {
        default: true,
      }),
    }),
    auth: group({
      basic: flag('accept e-mail and password with every request', {
        derived: 'true in development',
      }),
    }),
    oauth: group({
      tokenTtlSeconds: whole('lifetime of an access token', {
        default: 3_600,
        min: 1,
        max: CENTURY_SECONDS,
      }),
    }),
    usage: group({
      retentionDays: whole('days that single usage records are kept', {
        default: 90,
        min: 1,
        max: CENTURY_DAYS,
      }),
      journalMaxBytes: whole('journal size at which requests are refused instead of unrecorded', {
        default: 1024 * MIB,
        min: MIB,
      }),
    }),
    backup: group({
      schedule: Type.Optional(
        cron('when a backup is made, by one node of all; a cron expression in UTC'),
      ),
      keep: whole('backups by schedule that are kept; older ones go when a new one is whole', {
        default: 7,
        min: 1,
        max: 10_000,
      }),
      directory: text('directory of backups by schedule', { derived: 'backups in data_dir' }),
    }),
    answers: group({
      maxBytes: whole('memory for answers that are kept until content changes, 0 for none', {
        default: 32 * MIB,
        max: 4_096 * MIB,
      }),
      maxRelated: whole('related entries and files that one answer may show', {
        default: 20_000,
        min: 1,
        max: 1_000_000,
      }),
    }),
    media: group({
      maxFileBytes: whole('largest uploaded file in bytes', { default: 200 * MIB, min: 1 }),
      maxFiles: whole('files in one upload', { default: 20, min: 1, max: 1_000 }),
      cacheBytes: whole('with PostgreSQL: disk for the cache of files, which the database holds', {
        default: 1024 * MIB,
      }),
      formats: flag('make smaller WebP pictures of uploaded ones', { default: true }),
      maxPixels: whole('pixels of the largest picture that gets smaller ones', {
        default: 100_000_000,
        min: 1,
      }),
    }),
    smtp: group({
      url: Type.Optional(url('mail server', ['smtp', 'smtps'])),
      sender: Type.Optional(text('sender of mails')),
    }),
    commerce: group({
      enabled: flag('serve the commerce interface', { default: true }),
      oauthAllowSha1: flag('accept HMAC-SHA1 signatures', { default: true }),
      maxPageSize: whole('largest page', { default: 1_000, min: 1, max: 10_000 }),
      maxBulkItems: whole('elements in one bulk request', { default: 10_000, min: 1 }),
      workers: whole('bulk operations worked on at once', { default: 4, min: 1, max: 64 }),
    }),

    delivery,
    jsonapi,
    content,
    graphql,
    limits,
    webhooks,
    scrapers,
  },
  { additionalProperties: false },
)

export type Settings = Static<typeof settingsSchema>
