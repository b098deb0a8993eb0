import { webhookSuites } from './suites.ts'

webhookSuites('sqlite')
