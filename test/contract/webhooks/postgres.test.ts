import { webhookSuites } from './suites.ts'

webhookSuites('postgres')
