import { gatewaySuites } from './suites.ts'

await gatewaySuites('sqlite')
