import { gatewaySuites } from './suites.ts'

await gatewaySuites('postgres')
